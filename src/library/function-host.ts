import { LlmHostError, messageOf } from '../errors.ts';
import { Deadline } from '../mcp/server/deadline.ts';
import type { CallOptions, HostTool, ServerState, ToolHost, ToolOutcome } from '../mcp/tool-host.ts';
import { definitionSizeFault } from '../text/json/definition-size.ts';
import { type Infer, type JsonSchema, jsonSchemaOf, readBySchema, type Schema } from './schema.ts';

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

/** A function that the model can call. Made by `tool`. */
export interface FunctionTool {
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonSchema;
  readonly schema: Schema;
  /** Its arguments are as the schema gives them. */
  readonly run: (args: never, context: ToolContext) => unknown;
}

export interface ToolContext {
  /** Aborts when the turn is cancelled, or the call has taken too long. */
  readonly signal: AbortSignal;
}

/**
 * A tool that is a function of this program. What `run` returns or resolves with is told to the model, as text or as JSON;
 * what it throws, too. The arguments have been checked against `parameters`, any Standard Schema (zod, valibot ...) or a
 * JSON Schema of an object.
 * @throws LlmHostError USAGE: a schema that cannot be turned into a JSON Schema
 */
export function tool<S extends Schema>(definition: {
  readonly description: string;
  readonly parameters: S;
  readonly run: (args: Infer<S>, context: ToolContext) => unknown;
}): FunctionTool {
  const { description, parameters: schema, run } = definition;
  return { description, parameters: jsonSchemaOf(schema), schema, run };
}

/** A program's functions, and the tools of MCP servers once those are there. A function hides a tool of its name. */
export class JoinedHost implements ToolHost {
  readonly #functions: FunctionHost;
  #servers: ToolHost | undefined;

  constructor(functions: FunctionHost) {
    this.#functions = functions;
  }

  join(servers: ToolHost): void {
    this.#servers = servers;
  }

  tools(): readonly HostTool[] {
    const others = this.#servers?.tools() ?? [];
    return [
      ...this.#functions.tools(),
      ...others.filter(({ definition }) => !this.#functions.has(definition.function.name)),
    ];
  }

  servers(): readonly ServerState[] {
    return this.#servers?.servers() ?? [];
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    const isOurs = this.#servers === undefined || this.#functions.has(name);
    return await (isOurs ? this.#functions : (this.#servers as ToolHost)).call(name, args, options);
  }

  async readResource(server: string, uri: string, options: CallOptions): Promise<ToolOutcome> {
    const read = this.#servers?.readResource?.bind(this.#servers);
    if (read === undefined) throw new LlmHostError('TOOL_FAILED', `Server '${server}' is not there`);
    return await read(server, uri, options);
  }

  refreshStale(): void {
    this.#servers?.refreshStale?.();
  }

  takeNotices(): readonly string[] {
    return this.#servers?.takeNotices?.() ?? [];
  }

  async close(): Promise<void> {
    await this.#servers?.close();
  }
}
