import type { History } from '../../chat/history.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import type { ToolChoice } from '../model/chat-model.ts';
import { missingFacts } from './missing-facts.ts';
import { isRecall } from './recall.ts';

/** `I'm` is no name. */
const PRONOUN = /^I['’]/;

/**
 * Lets a reply begin with a look at what was said before: if the question names something of it, by a name, a number or a path,
 * and the model has no other tool to choose. A small model seldom finds the answer in a summary, or thinks of looking.
 */
export function lookUpFirst(tools: readonly HostTool[], history: History): ToolChoice | undefined {
  const [only, ...others] = tools;
  if (only === undefined || others.length > 0 || !isRecall(only)) return undefined;
  const { messages, summarized } = history;
  const question = messages.at(-1);
  if (question?.role !== 'user' || !/[?？]\s*$/.test(question.content)) return undefined;
  const named = missingFacts([question], '').filter(fact => !PRONOUN.test(fact));
  const told = summarized.some(({ content }) => named.some(name => content.includes(name)));
  return told ? { name: only.definition.function.name } : undefined;
}
