import type { TokenEvent } from '../../engine/engine.ts';
import type { ParseEvent } from '../../parse/types/parse-event.ts';
import { tokenPiece } from '../../tokens/token-piece.ts';
import type { Tokenizer } from '../../tokens/tokenizer-types.ts';
import type { TokenLogprob } from '../events/turn-event.ts';
import type { ReplyEvent } from './chat-model.ts';

/** Holds the log-probabilities of tokens until the parser returns their content. */
export class ContentLogprobs {
  readonly #tokenizer: Pick<Tokenizer, 'decode' | 'bytesOf'>;
  #waiting: TokenLogprob[] = [];

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytesOf'>) {
    this.#tokenizer = tokenizer;
  }

  /** Ignores tokens without log-probabilities. */
  add({ id, logprob, topLogprobs = [] }: TokenEvent): void {
    if (logprob === undefined) return;
    const top = topLogprobs.map(one => ({ ...tokenPiece(this.#tokenizer, one.id), logprob: one.logprob }));
    this.#waiting.push({ ...tokenPiece(this.#tokenizer, id), logprob, top });
  }

  /** Attaches them to the first content event; if the tokens became something else, it is dropped. */
  *with(events: readonly ParseEvent[]): Generator<ReplyEvent> {
    for (const event of events) {
      const logprobs = this.#waiting;
      if (logprobs.length === 0) yield event;
      else yield event.type === 'content' ? { ...event, logprobs } : event;
      this.#waiting = [];
    }
  }
}
