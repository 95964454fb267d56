const WINDOW_SECONDS = 60;

/** Amounts of the last minute, summed up by the second. */
class LastMinute {
  #seconds: { readonly second: number; amount: number }[] = [];
  #sum = 0;

  add(second: number, amount: number): void {
    this.#forget(second);
    const last = this.#seconds.at(-1);
    if (last?.second === second) last.amount += amount;
    else this.#seconds.push({ second, amount });
    this.#sum += amount;
  }

  /** Seconds until there is less than `limit`; 0: there is. */
  wait(second: number, limit: number): number {
    this.#forget(second);
    let sum = this.#sum;
    for (const { second: of, amount } of this.#seconds) {
      if (sum < limit) return 0;
      sum -= amount;
      if (sum < limit) return of + WINDOW_SECONDS - second;
    }
    return 0;
  }

  #forget(second: number): void {
    while ((this.#seconds[0]?.second ?? second) <= second - WINDOW_SECONDS)
      this.#sum -= this.#seconds.shift()?.amount ?? 0;
  }
}

export interface RateLimits {
  /** At least 1; undefined: no limit. */
  readonly requestsPerMinute?: number | undefined;
  /** Tokens of prompts and replies together. */
  readonly tokensPerMinute?: number | undefined;
}

export interface TooMuch {
  readonly of: 'requests' | 'tokens';
  readonly limit: number;
  readonly retryAfterSeconds: number;
}

/**
 * A client's limits in any 60 seconds. Tokens count once they are known, after a reply: the request with which a
 * client passes its limit is still answered, the next one is not.
 */
export class RateLimit {
  readonly #limits: RateLimits;
  readonly #now: () => number;
  readonly #requests = new LastMinute();
  readonly #tokens = new LastMinute();

  /** `now`: milliseconds. */
  constructor(limits: RateLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts a request, unless it is one too many. */
  request(): TooMuch | undefined {
    const second = this.#second();
    const { requestsPerMinute: requests, tokensPerMinute: tokens } = this.#limits;
    const found =
      tooMuch('tokens', this.#tokens, second, tokens) ??
      tooMuch('requests', this.#requests, second, requests);
    if (!found) this.#requests.add(second, 1);
    return found;
  }

  spent(tokens: number): void {
    this.#tokens.add(this.#second(), tokens);
  }

  #second(): number {
    return Math.floor(this.#now() / 1000);
  }
}

function tooMuch(
  of: TooMuch['of'],
  used: LastMinute,
  second: number,
  limit: number | undefined,
): TooMuch | undefined {
  const retryAfterSeconds = limit === undefined ? 0 : used.wait(second, limit);
  return limit === undefined || retryAfterSeconds === 0 ? undefined : { of, limit, retryAfterSeconds };
}
