import { setMaxListeners } from 'node:events';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ClientsPoint } from './clients-report.ts';
import { type StreamedReply, streamedReply } from './streamed-reply.ts';

export interface ClientsLoad {
  readonly clients: number;
  /** Of each client, one after another. */
  readonly requests: number;
  /** Tokens of a reply. */
  readonly generate: number;
  /** A prompt that no other request has. */
  readonly prompt: (client: number, request: number) => string;
}

/**
 * Clients that all send a request, read the reply to its end and repeat. @throws LlmHostError ENGINE if no request of
 * all was answered.
 */
export async function loadedBy(
  { clients, requests, generate, prompt }: ClientsLoad,
  { name, url }: { readonly name: string; readonly url: string },
  signal: AbortSignal,
): Promise<Omit<ClientsPoint, 'figures'> & { readonly figures: Omit<ClientsPoint['figures'], 'peakBytes'> }> {
  // Each request under way listens to it.
  setMaxListeners(0, signal);
  const replies: StreamedReply[] = [];
  let failure: string | undefined;
  const client = async (index: number): Promise<void> => {
    for (let request = 0; request < requests; request++) {
      const body = {
        prompt: prompt(index, request),
        max_tokens: generate,
        temperature: 0,
        user: `client-${index}`,
      };
      try {
        const reply = await streamedReply(url, body, signal);
        if (reply.status === 200) replies.push(reply);
        else failure = `it answers ${reply.status}`;
      } catch (error) {
        signal.throwIfAborted();
        failure = messageOf(error);
      }
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const seconds = (performance.now() - started) / 1000;
  if (replies.length === 0) throw new LlmHostError('ENGINE', `${name} completed no request: ${failure}`);
  const sum = (count: (reply: StreamedReply) => number) => replies.reduce((all, one) => all + count(one), 0);
  return {
    clients,
    requests: clients * requests,
    failed: clients * requests - replies.length,
    seconds,
    promptTokens: sum(one => one.promptTokens) / replies.length,
    generatedTokens: sum(one => one.generatedTokens) / replies.length,
    figures: figuresOf(replies, sum(one => one.generatedTokens) / seconds),
  };
}

function figuresOf(replies: readonly StreamedReply[], tokensPerSecond: number): ClientsPoint['figures'] {
  const firsts = sorted(replies.flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs])));
  const gaps = sorted(replies.flatMap(one => one.gaps));
  return {
    tokensPerSecond,
    ...(firsts.length > 0 && { firstTokenP50Ms: within(firsts, 0.5), firstTokenP95Ms: within(firsts, 0.95) }),
    ...(gaps.length > 0 && {
      betweenTokensP50Ms: within(gaps, 0.5),
      betweenTokensP99Ms: within(gaps, 0.99),
      longestGapMs: within(gaps, 1),
    }),
  };
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The least value that `share` of `ascending`, which is not empty, do not exceed. */
export function within(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] as number;
}
