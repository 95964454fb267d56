import type { History } from '../../chat/history.ts';
import type { Message } from '../../chat/message.ts';
import type { HostTool, ToolHost, ToolOutcome } from '../../mcp/tool-host.ts';
import { extendedHost, firstFree } from '../calls/extended-host.ts';
import type { ToolChoice } from '../model/chat-model.ts';
import { isReadResult } from '../results/long-results.ts';
import { missingFacts } from './missing-facts.ts';
import { searchHistory } from './search-history.ts';

/** The names it is offered under: the first that no server's tool has. */
const NAMES = ['recall', 'llm_host_recall', 'llm_host__recall'] as const;

const TOOLS: readonly HostTool[] = NAMES.map(name => ({
  definition: {
    type: 'function',
    function: {
      name,
      description:
        'Find what was said earlier in this conversation about a person, a place, a number, a date or anything else.',
      parameters: {
        type: 'object',
        properties: { about: { type: 'string', description: 'words to find' } },
        required: ['about'],
      },
    },
  },
  server: 'llm-host',
  tool: name,
  readOnly: true,
  always: true,
}));

/**
 * The host, and while a summary stands for turns of `history` a tool that finds what was said before, last so that the others
 * stay where they are in the prompt.
 */
export function withRecall(host: ToolHost, history: History): ToolHost {
  const tool = (): HostTool => firstFree(TOOLS, host.tools());
  const offered = (): boolean => history.summarized.length > 0;
  return extendedHost(host, {
    tools: () => (offered() ? [...host.tools(), tool()] : host.tools()),
    call: (name, args, options) =>
      offered() && name === tool().tool
        ? Promise.resolve(recall(history, args.about))
        : host.call(name, args, options),
  });
}

function recall(history: History, about: unknown): ToolOutcome {
  if (typeof about !== 'string' || about.trim() === '')
    return { text: 'There are no words to look up in "about".', isError: true };
  const found = searchHistory(earlier(history), about);
  return { text: found || 'Nothing that was said before fits. Try other words.', isError: false };
}

/** All that was said before the question of now, without the summary and what was looked up. */
function earlier({ summarized, messages, lastPrompt }: History): readonly Message[] {
  const summary = messages.findIndex(({ role }) => role === 'user');
  const since = messages.slice(summary + 2, Math.max(summary + 2, lastPrompt));
  return [...summarized, ...since].filter(message => message.role !== 'tool' || !isOurs(message.name));
}

/** Whether it is this tool, not a server's of that name. */
const isRecall = (tool: HostTool): boolean => TOOLS.includes(tool);

const isOurs = (name: string): boolean => NAMES.some(known => known === name);

/** `I'm` is no name. */
const PRONOUN = /^I['’]/;

/**
 * Lets a reply begin with a look at what was said before: if the question names something of it, by a name, a number or a path,
 * and the model has no other tool to choose but the one that reads on in results. A small model seldom finds the answer in a summary, or thinks of looking.
 */
export function lookUpFirst(tools: readonly HostTool[], history: History): ToolChoice | undefined {
  const recall = tools.find(isRecall);
  if (!recall || tools.some(tool => tool !== recall && !isReadResult(tool))) return undefined;
  const { messages, summarized } = history;
  const question = messages.at(-1);
  if (question?.role !== 'user' || !/[?？]\s*$/.test(question.content)) return undefined;
  const named = missingFacts([question], '').filter(fact => !PRONOUN.test(fact));
  const told = summarized.some(({ content }) => named.some(name => content.includes(name)));
  return told ? { name: recall.definition.function.name } : undefined;
}
