import { sumOfDecoding } from '../../engine/decoding-stats.ts';
import type { GenerationQueue } from './generation-queue.ts';
import type { Totals } from './wire-format.ts';

/** Upper bounds in seconds. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

class Histogram {
  readonly #counts = BUCKETS.map(() => 0);
  #count = 0;
  #sum = 0;

  add(value: number): void {
    this.#count += 1;
    this.#sum += value;
    BUCKETS.forEach((bound, index) => {
      if (value <= bound) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    });
  }

  lines(name: string): string[] {
    return [
      ...BUCKETS.map((bound, index) => `${name}_bucket{le="${bound}"} ${this.#counts[index]}`),
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#sum}`,
      `${name}_count ${this.#count}`,
    ];
  }
}

/** Counts since the start, in Prometheus's text format. */
export class ServeMetrics {
  /** Requests still being answered. */
  active = 0;
  readonly #requests = new Map<string, number>();
  readonly #finishes = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  readonly #firstToken = new Histogram();
  readonly #duration = new Histogram();
  #promptTokens = 0;
  #cachedTokens = 0;
  #generatedTokens = 0;
  #embeddedTexts = 0;
  #embeddedTokens = 0;
  #decoding = sumOfDecoding([]);

  /** `route`: its pattern, never what the client sent. */
  request(route: string, status: number, seconds: number): void {
    count(this.#requests, `route="${route}",status="${status}"`);
    this.#duration.add(seconds);
  }

  turn({ promptTokens, cachedTokens, generatedTokens, decoding, finish }: Totals): void {
    this.#promptTokens += promptTokens;
    this.#cachedTokens += cachedTokens;
    this.#generatedTokens += generatedTokens;
    this.#decoding = sumOfDecoding([this.#decoding, decoding]);
    count(this.#finishes, `reason="${finish}"`);
  }

  embedded(texts: number, tokens: number): void {
    this.#embeddedTexts += texts;
    this.#embeddedTokens += tokens;
  }

  firstToken(seconds: number): void {
    this.#firstToken.add(seconds);
  }

  tool(outcome: 'tool_result' | 'tool_error'): void {
    count(this.#tools, `outcome="${outcome === 'tool_result' ? 'ok' : 'error'}"`);
  }

  /** For GET /metrics. */
  text(queue: GenerationQueue): string {
    const { passes, sequences, proposed, accepted } = this.#decoding;
    const families: readonly (readonly [string, string, string, readonly string[]])[] = [
      family('http_requests_total', 'counter', 'Requests by route and status.', this.#requests),
      family('turns_total', 'counter', 'Turns by outcome.', this.#finishes),
      family('tool_calls_total', 'counter', 'Calls of MCP tools by outcome.', this.#tools),
      single('prompt_tokens_total', 'counter', 'Tokens of all prompts.', this.#promptTokens),
      single('cached_tokens_total', 'counter', 'Of these, from the KV cache.', this.#cachedTokens),
      single('generated_tokens_total', 'counter', 'Tokens generated.', this.#generatedTokens),
      single('embedded_texts_total', 'counter', 'Texts embedded or ranked.', this.#embeddedTexts),
      single('embedded_tokens_total', 'counter', 'Tokens of these.', this.#embeddedTokens),
      single('decoding_passes_total', 'counter', 'Passes over the weights, for each reply in them.', passes),
      single('decoding_sequences_total', 'counter', 'Replies in these passes, for each of them.', sequences),
      single('proposed_tokens_total', 'counter', 'Tokens proposed, looked up or by a draft model.', proposed),
      single('accepted_tokens_total', 'counter', 'Of these, what the model said.', accepted),
      single('http_requests_active', 'gauge', 'Requests still being answered.', this.active),
      single('requests_admitted', 'gauge', 'Requests that have a place in the queue.', queue.admitted),
      single('generations_waiting', 'gauge', 'Of these, waiting for the engine.', queue.waiting),
      single('generating', 'gauge', 'Generations under way.', queue.running),
      single('resident_bytes', 'gauge', 'Memory of the process.', process.memoryUsage.rss()),
      [
        'llm_host_time_to_first_token_seconds',
        'histogram',
        'From the request to its first token.',
        this.#firstToken.lines('llm_host_time_to_first_token_seconds'),
      ],
      [
        'llm_host_http_request_seconds',
        'histogram',
        'From the request to the end of its response.',
        this.#duration.lines('llm_host_http_request_seconds'),
      ],
    ];
    return families
      .map(([name, type, help, lines]) =>
        [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n'),
      )
      .join('');
  }
}

function family(name: string, type: string, help: string, counts: ReadonlyMap<string, number>) {
  const full = `llm_host_${name}`;
  return [full, type, help, [...counts].map(([labels, value]) => `${full}{${labels}} ${value}`)] as const;
}

function single(name: string, type: string, help: string, value: number) {
  const full = `llm_host_${name}`;
  return [full, type, help, [`${full} ${value}`]] as const;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
