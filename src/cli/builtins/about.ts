import { stripControls } from '../../text/strip-controls.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { type Builtin, print } from './builtin.ts';

export const tools: Builtin = {
  name: 'tools',
  aliases: [],
  argument: '',
  help: 'lists the tools the model can call',
  plain: ['tools'],
  run: session => {
    const lines = session.tools
      .tools()
      .map(({ definition, server }) =>
        stripControls(`${definition.function.name} (${server}): ${definition.function.description ?? ''}`),
      );
    return print(lines.join('\n') || 'No tools.');
  },
};

export const model: Builtin = {
  name: 'model',
  aliases: [],
  argument: '',
  help: 'describes the loaded model',
  plain: [],
  run: session => print(session.opened.description),
};

export const stats: Builtin = {
  name: 'stats',
  aliases: [],
  argument: '',
  help: 'figures of the last reply and of the session',
  plain: [],
  run: session => print(statsText(session)),
};

export const debug: Builtin = {
  name: 'debug',
  aliases: [],
  argument: '',
  help: 'writes more into the log file, or less again',
  plain: ['debug'],
  run: ({ log }) => {
    const on = log.logger.level !== 'debug';
    log.logger.level = on ? 'debug' : 'info';
    return print(`Debug messages are ${on ? 'written to' : 'no longer written to'} ${log.path}`);
  },
};

export const expand: Builtin = {
  name: 'expand',
  aliases: [],
  argument: '[number]',
  help: 'shows the last result of a tool in full, 2: the one before it (Ctrl+O, again: earlier ones)',
  plain: [],
  run: ({ results }, word) => {
    if (!/^\d*$/.test(word))
      return print('/expand takes a number: 1 is the last result, 2 the one before it.');
    return print(results.show(word === '' ? 1 : Number(word)));
  },
};

export const quit: Builtin = {
  name: 'quit',
  aliases: ['bye', 'exit'],
  argument: '',
  help: 'ends the program',
  plain: ['quit', 'bye'],
  run: () => ({ output: '', quit: true }),
};

function statsText(session: ChatSession): string {
  const { totals, lastReply } = session;
  if (!lastReply) return 'No reply yet.';
  const rate = (tokens: number, ms: number) =>
    ms > 0 ? `${((tokens / ms) * 1000).toFixed(1)} tok/s` : 'no rate';
  const computed = lastReply.promptTokens - lastReply.cachedTokens;
  return [
    `Last reply: ${lastReply.generatedTokens} tokens at ${rate(lastReply.generatedTokens, lastReply.decodeMs)}, first after ${(lastReply.firstTokenMs / 1000).toFixed(2)} s`,
    `Prompt: ${lastReply.promptTokens} tokens, ${lastReply.cachedTokens} from the cache, ${computed} read at ${rate(computed, lastReply.prefillMs)}`,
    `Context: ${session.contextUsed} of ${session.opened.model.contextLength} tokens`,
    `Session: ${totals.replies} replies, ${totals.generatedTokens} tokens at ${rate(totals.generatedTokens, totals.decodeMs)}, ${totals.toolCalls} tool calls, ${totals.toolErrors} errors`,
    session.toolMetrics.text(),
  ].join('\n');
}
