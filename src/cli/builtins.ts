import type { Agent } from '../agent/agent.ts';
import type { ToolHost } from '../mcp/tool-host.ts';
import { nearest } from '../text/nearest.ts';
import { stripControls } from '../text/strip-controls.ts';

export interface BuiltinContext {
  readonly agent: Agent;
  readonly tools: ToolHost;
}

export interface BuiltinResult {
  readonly output: string;
  readonly quit: boolean;
}

interface Builtin {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly help: string;
  /** Also recognised without the slash. */
  readonly plain: boolean;
  readonly run: (context: BuiltinContext) => BuiltinResult;
}

const print = (output: string): BuiltinResult => ({ output, quit: false });

const BUILTINS: readonly Builtin[] = [
  { name: 'help', aliases: [], help: 'lists the commands', plain: false, run: () => print(helpText()) },
  {
    name: 'tools',
    aliases: [],
    help: 'lists the tools the model can call',
    plain: true,
    run: ({ tools }) => print(toolsText(tools)),
  },
  {
    name: 'clear',
    aliases: [],
    help: 'forgets the conversation',
    plain: true,
    run: ({ agent }) => {
      agent.clear();
      return print('The conversation was cleared.');
    },
  },
  {
    name: 'quit',
    aliases: ['bye', 'exit'],
    help: 'ends the program',
    plain: true,
    run: () => ({ output: '', quit: true }),
  },
];

/** The result of a built-in command, or undefined when `input` is a prompt for the model. */
export function runBuiltin(input: string, context: BuiltinContext): BuiltinResult | undefined {
  const slash = input.startsWith('/');
  const word = (slash ? input.slice(1) : input).toLowerCase();
  const found = BUILTINS.find(builtin => builtin.name === word || builtin.aliases.includes(word));
  if (found && (slash || (found.plain && word !== 'exit'))) return found.run(context);
  if (!/^\/[a-z]+$/i.test(input)) return undefined;
  const guess = nearest(
    word,
    BUILTINS.flatMap(builtin => [builtin.name, ...builtin.aliases]),
  );
  return print(
    `Unknown command ${input}.${guess ? ` Did you mean /${guess}?` : ''} /help lists the commands.`,
  );
}

function helpText(): string {
  return BUILTINS.map(
    ({ name, aliases, help }) => `/${[name, ...aliases].join(', /').padEnd(18)} ${help}`,
  ).join('\n');
}

function toolsText(host: ToolHost): string {
  const tools = host.tools();
  if (tools.length === 0) return 'No tools.';
  return tools
    .map(({ definition, server }) =>
      stripControls(`${definition.function.name} (${server}): ${definition.function.description ?? ''}`),
    )
    .join('\n');
}
