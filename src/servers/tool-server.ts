import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf } from '../errors.ts';

/** A tool of a bundled server; arguments are numbers and strings only. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  /** In the order of the schema's properties; a name that ends in `?` is optional. */
  readonly parameters: Readonly<Record<string, 'number' | 'string'>>;
  readonly annotations: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  /** Returns the result's text. A ToolError becomes a tool error. The signal aborts when nobody waits for it any more. */
  readonly run: (args: Readonly<Record<string, unknown>>, signal?: AbortSignal) => string | Promise<string>;
}

/** A refusal or failure reported to the model as `Error: <message>`. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

type JsonSchema = { type: 'object'; properties: Record<string, { type: string }>; required: string[] };

/**
 * Serves the tools on stdin and stdout. Resolves when the client has closed stdin and all running calls are done, so
 * exiting then interrupts no write.
 */
export async function serveTools(name: string, version: string, tools: readonly ServerTool[]): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const tracked = tools.map(tool => ({
    ...tool,
    run: async (args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<string> => {
      const call = Promise.resolve(args).then(given => tool.run(given, signal));
      running.add(call);
      return await call.finally(() => running.delete(call));
    },
  }));
  serveStdio(() => toolServer(name, version, tracked));
  await new Promise<void>(resolve => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  await Promise.allSettled(running);
}

function toolServer(name: string, version: string, tools: readonly ServerTool[]): Server {
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(tool => ({
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(tool),
      annotations: tool.annotations,
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const outcome = await callTool(tools, params.name, params.arguments ?? {}, mcpReq.signal);
    return { content: [{ type: 'text', text: outcome.text }], isError: outcome.isError };
  });
  return server;
}

/** Runs one call; every failure becomes an outcome that starts with `Error: `. */
export async function callTool(
  tools: readonly ServerTool[],
  name: string,
  given: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<{ text: string; isError: boolean }> {
  try {
    // Models write null for omitted arguments.
    const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    const tool = tools.find(candidate => candidate.name === name);
    if (tool === undefined) throw new ToolError(`There is no tool ${name}.`);
    checkArguments(tool, args);
    return { text: await tool.run(args, signal), isError: false };
  } catch (error) {
    return { text: `Error: ${messageOf(error)}`, isError: true };
  }
}

/** The JSON Schema of a tool's arguments, without keywords a model has no use for. */
export function schemaOf(tool: ServerTool): JsonSchema {
  const schema: JsonSchema = { type: 'object', properties: {}, required: [] };
  for (const [key, type] of Object.entries(tool.parameters)) {
    const name = key.replace(/\?$/, '');
    schema.properties[name] = { type };
    if (name === key) schema.required.push(name);
  }
  return schema;
}

function checkArguments(tool: ServerTool, args: Readonly<Record<string, unknown>>): void {
  const { properties, required } = schemaOf(tool);
  for (const name of required) {
    if (args[name] === undefined) throw new ToolError(`The argument ${name} is missing.`);
  }
  for (const [name, value] of Object.entries(args)) {
    const type = properties[name]?.type;
    if (type === undefined)
      throw new ToolError(`There is no argument ${name}; ${tool.name} takes ${names(properties)}.`);
    if (typeof value !== type) throw new ToolError(`The argument ${name} must be a ${type}.`);
  }
}

function names(properties: Readonly<Record<string, unknown>>): string {
  return Object.keys(properties).join(', ');
}
