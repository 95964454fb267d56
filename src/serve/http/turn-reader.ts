import type { TokenLogprob, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import { sumOfDecoding } from '../../engine/decoding-stats.ts';
import type { ToolEvent, Totals, WholeReply } from './wire-format.ts';

type ErrorEvent = Extract<TurnEvent, { type: 'error' }>;

/** Receives a turn piece by piece. */
export interface TurnListener {
  text(text: string, logprobs: readonly TokenLogprob[] | undefined): void;
  thinking(text: string): void;
  toolEvent(event: ToolEvent): void;
  prefill(event: Extract<TurnEvent, { type: 'prefill' }>): void;
}

/** A turn that failed has taken tokens too. */
export type ReadTurn =
  | { readonly reply: WholeReply }
  | { readonly error: ErrorEvent; readonly totals: Totals };

/** Reads a turn to its end. The texts of its rounds are separated by a line break, but for `verbatim` ones. */
export async function readTurn(
  turn: AsyncGenerator<TurnEvent, readonly ToolCall[]>,
  listener: TurnListener,
  started: number,
  verbatim = false,
): Promise<ReadTurn> {
  const tally = new Tally();
  const events: ToolEvent[] = [];
  const logprobs: TokenLogprob[] = [];
  /** Log-probabilities of white space that is held back: they join the next text. */
  let held: readonly TokenLogprob[] = [];
  let text = '';
  let thinking = '';
  let streamed = '';
  let newRound = false;
  let cancelled = false;
  for (let step = await turn.next(); ; step = await turn.next()) {
    if (step.done) {
      const totals = tally.totals(step.value, cancelled, started);
      const listed = logprobs.length > 0 ? logprobs : undefined;
      return { reply: { text, thinking, logprobs: listed, calls: step.value, events, totals } };
    }
    const event = step.value;
    switch (event.type) {
      case 'prefill':
        listener.prefill(event);
        break;
      case 'token': {
        logprobs.push(...(event.logprobs ?? []));
        const begins = !verbatim && (streamed === '' || newRound);
        const fresh = begins ? event.text.trimStart() : event.text;
        const piece = begins && streamed !== '' && fresh !== '' ? `\n${fresh}` : fresh;
        held = [...held, ...(event.logprobs ?? [])];
        if (piece === '') break;
        newRound = false;
        streamed += piece;
        listener.text(piece, held.length > 0 ? held : undefined);
        held = [];
        break;
      }
      case 'thinking':
        thinking += event.text;
        listener.thinking(event.text);
        break;
      case 'tool_call':
      case 'tool_progress':
      case 'tool_result':
      case 'tool_error':
      case 'notice':
        events.push(event);
        listener.toolEvent(event);
        break;
      case 'tools_offered':
        break;
      case 'stats':
        newRound = true;
        tally.add(event.stats);
        break;
      case 'assistant':
        ({ text, cancelled } = event);
        break;
      case 'compaction':
        // The conversation is the client's: no turn of a request has one.
        break;
      case 'error':
        await turn.return([]);
        return { error: event, totals: tally.totals([], false, started) };
    }
  }
}

type Stats = Extract<TurnEvent, { type: 'stats' }>['stats'];

/** Sums up the replies of a turn. */
class Tally {
  #all: Stats[] = [];

  add(stats: Stats): void {
    this.#all.push(stats);
  }

  totals(calls: readonly ToolCall[], cancelled: boolean, started: number): Totals {
    const sum = (pick: (stats: Stats) => number) => this.#all.reduce((total, one) => total + pick(one), 0);
    const { finishReason: last, stopString } = this.#all.at(-1) ?? {};
    const ended = last === 'length' || last === 'full' ? 'length' : 'stop';
    return {
      promptTokens: sum(stats => stats.promptTokens),
      cachedTokens: sum(stats => stats.cachedTokens),
      generatedTokens: sum(stats => stats.generatedTokens),
      prefillMs: sum(stats => stats.prefillMs),
      decodeMs: sum(stats => stats.decodeMs),
      decoding: sumOfDecoding(this.#all.map(stats => stats.decoding)),
      firstTokenMs: this.#all[0]?.firstTokenMs ?? 0,
      finish: cancelled ? 'cancelled' : calls.length > 0 ? 'tool_calls' : ended,
      ...(stopString !== undefined && { stopString }),
      ...(last === 'full' && { contextFull: true }),
      totalMs: performance.now() - started,
    };
  }
}
