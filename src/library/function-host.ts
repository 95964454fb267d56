import { LlmHostError, messageOf } from '../errors.ts';
import { Deadline } from '../mcp/server/deadline.ts';
import type { CallOptions, HostTool, ServerState, ToolHost, ToolOutcome } from '../mcp/tool-host.ts';
import { definitionSizeFault } from '../text/json/definition-size.ts';
import type { FunctionTool } from './function-tool.ts';
import { readBySchema } from './schema.ts';

/** Names that every template and API accepts. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The functions of a program as a host of tools. */
export class FunctionHost implements ToolHost {
  readonly #functions: ReadonlyMap<string, FunctionTool>;
  readonly #tools: readonly HostTool[];

  /** @throws LlmHostError USAGE: a name or a schema that no model could use */
  constructor(functions: Readonly<Record<string, FunctionTool>>) {
    this.#functions = new Map(Object.entries(functions));
    this.#tools = [...this.#functions].map(([name, one]) => hostTool(name, one));
  }

  tools(): readonly HostTool[] {
    return this.#tools;
  }

  servers(): readonly ServerState[] {
    return [];
  }

  has(name: string): boolean {
    return this.#functions.has(name);
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs }: CallOptions,
  ): Promise<ToolOutcome> {
    const called = this.#functions.get(name);
    if (called === undefined) throw new LlmHostError('TOOL_FAILED', `There is no function '${name}'`);
    const cancelled = () => new LlmHostError('CANCELLED', `Tool '${name}' was cancelled`);
    if (signal?.aborted) throw cancelled();
    // Its timer keeps the process alive, which a function that settles nothing does not.
    const deadline = new Deadline(timeoutMs, { signal });
    try {
      return await deadline.race(outcomeOf(called, args, deadline.signal));
    } catch (error) {
      if (deadline.expired) throw late(name, timeoutMs);
      throw signal?.aborted ? cancelled() : error;
    } finally {
      deadline.dispose();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function hostTool(name: string, { description, parameters }: FunctionTool): HostTool {
  if (!NAME.test(name)) {
    throw new LlmHostError('USAGE', `'${name}' cannot be the name of a tool`, {
      hint: 'Use up to 64 letters, digits, _ and -, beginning with a letter or _.',
    });
  }
  const fault = definitionSizeFault(parameters);
  if (fault !== undefined)
    throw new LlmHostError('USAGE', `The parameters of '${name}': the schema ${fault}`);
  if (parameters.type !== 'object') {
    throw new LlmHostError('USAGE', `The parameters of '${name}' must be the schema of an object`);
  }
  return {
    definition: { type: 'function', function: { name, description, parameters } },
    server: 'functions',
    tool: name,
    readOnly: false,
  };
}

/** A throw of the function is an outcome, which the model is told. */
async function outcomeOf(called: FunctionTool, args: unknown, signal: AbortSignal): Promise<ToolOutcome> {
  const read = await readBySchema(called.schema, args);
  if ('problem' in read) return { text: `The arguments do not fit: ${read.problem}`, isError: true };
  try {
    return { text: textOf(await called.run(read.value as never, { signal })), isError: false };
  } catch (error) {
    return { text: messageOf(error), isError: true };
  }
}

/** JSON of what is no text; nothing where a function returns nothing. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? '';
}

function late(name: string, timeoutMs: number): LlmHostError {
  return new LlmHostError('TOOL_TIMEOUT', `Tool '${name}' timed out after ${(timeoutMs / 1000).toFixed(1)}s`);
}
