import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { firstFree } from '../calls/extended-host.ts';

/** The search's name: the first that no server's tool has. */
const NAMES = ['search_tools', 'llm_host_search_tools', 'llm_host__search_tools'] as const;

const SEARCHES: readonly HostTool[] = NAMES.map(name => ({
  definition: {
    type: 'function',
    function: {
      name,
      description: 'Find more tools when none of the listed ones fits. Their definitions come back.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'what the tool should do' } },
        required: ['query'],
      },
    },
  },
  server: 'llm-host',
  tool: name,
  readOnly: true,
}));

/** By which the model finds those of `all` that it was not offered. */
export function searchToolFor(all: readonly HostTool[]): HostTool {
  return firstFree(SEARCHES, all);
}

const NOTHING = 'No tool fits. Try other words, or answer without one.';

/** The tools that were found, as the model reads them. */
export function foundText(tools: readonly ToolDefinition[]): string {
  return tools.length === 0 ? NOTHING : `You can call these tools now:\n${definitionLines(tools)}`;
}

/** The prompt of a turn with tools that were not among those at its head. */
export function withMoreTools(text: string, tools: readonly ToolDefinition[]): string {
  return `You can also call these tools:\n${definitionLines(tools)}\n\n${text}`;
}

function definitionLines(tools: readonly ToolDefinition[]): string {
  return tools.map(tool => JSON.stringify(tool.function)).join('\n');
}

/** The names of the tools that searches in this conversation have found. */
export function foundNames(messages: readonly Message[]): string[] {
  return messages.flatMap(message =>
    message.role === 'tool' && NAMES.some(name => name === message.name)
      ? message.content.split('\n').flatMap(nameOf)
      : [],
  );
}

function nameOf(line: string): string[] {
  const name = /^\{"name":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  return name === undefined ? [] : [JSON.parse(name) as string];
}
