import type { ToolHost } from '../../mcp/tool-host.ts';
import type { TurnEvent } from '../events/turn-event.ts';
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
