import type { TokenLogprob, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';

/** What has become of one prompt of a request. */
export interface Choice {
  /** Without the prompt. */
  text: string;
  readonly logprobs: TokenLogprob[];
  finish: 'stop' | 'length';
}

type Turn = AsyncGenerator<TurnEvent, readonly ToolCall[]>;

/** The choices of a request with several prompts, which are continued one after the other. */
export class CompletionChoices {
  readonly #all: Choice[] = [];

  /** Those begun so far; the last one may still grow. */
  get all(): readonly Choice[] {
    return this.#all;
  }

  /** One turn after the other, as one; ends with the first that fails or is cancelled. */
  async *run(turns: Iterable<() => Turn>): Turn {
    for (const open of turns) {
      const choice: Choice = { text: '', logprobs: [], finish: 'stop' };
      this.#all.push(choice);
      for await (const event of open()) {
        note(choice, event);
        yield event;
        if (event.type === 'error' || (event.type === 'assistant' && event.cancelled)) return [];
      }
    }
    return [];
  }
}

function note(choice: Choice, event: TurnEvent): void {
  if (event.type === 'token') {
    choice.text += event.text;
    choice.logprobs.push(...(event.logprobs ?? []));
  } else if (event.type === 'stats') {
    const { finishReason } = event.stats;
    choice.finish = finishReason === 'length' || finishReason === 'full' ? 'length' : 'stop';
  }
}
