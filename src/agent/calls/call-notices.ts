import type { ToolHost } from '../../mcp/tool-host.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { CallRecord } from './run-tools.ts';
import type { ValidCall } from './validate-calls.ts';

/** Tells the user, once for each tool, that its arguments go to the server unchecked. */
export class UncheckedCalls {
  readonly #told = new Set<string>();

  *notices(calls: readonly ValidCall[], host: ToolHost): Generator<TurnEvent> {
    for (const { call, unchecked } of calls) {
      const { name } = call.function;
      if (!unchecked || this.#told.has(name)) continue;
      this.#told.add(name);
      const server = host.tools().find(({ definition }) => definition.function.name === name)?.server;
      const owner = server === undefined ? '' : ` of server '${server}'`;
      yield {
        type: 'notice',
        message: `The arguments of '${name}'${owner} are not checked here: its schema takes too long to check.`,
      };
    }
  }
}

/** Warn after this many identical rounds in a row. */
const REPEATS = [3, 10, 25, 50];
/** Warn each time a turn has had this many more rounds. */
const ROUNDS = 25;

/** Notices a model that repeats the same calls with the same results, or never stops calling tools. */
export class RepeatGuard {
  #last = '';
  #count = 0;
  #rounds = 0;

  /** A warning for the user, who may cancel; undefined if there is none. The turn never ends here. */
  check(records: readonly CallRecord[]): string | undefined {
    this.#rounds++;
    const key = JSON.stringify(records.map(({ call, content }) => [call.function, content]));
    this.#count = records.length > 0 && key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    if (REPEATS.includes(this.#count)) {
      return `The model made the same call with the same result ${this.#count} times in a row.`;
    }
    if (this.#rounds % ROUNDS === 0) {
      return `The model has called tools ${this.#rounds} times in this turn and goes on.`;
    }
    return undefined;
  }
}
