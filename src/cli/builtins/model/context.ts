import type { ContextParts } from '../../../agent/context/context-parts.ts';
import { type Builtin, print } from '../base/builtin.ts';

const ROWS: readonly (readonly [keyof ContextParts, string])[] = [
  ['system', 'system prompt'],
  ['tools', "tools' definitions"],
  ['summary', 'summary'],
  ['results', "tools' results"],
  ['conversation', 'conversation'],
];

export const context: Builtin = {
  name: 'context',
  help: 'shows what takes how many tokens of the context',
  run: session => {
    const { contextLength } = session.opened.model;
    const parts = session.contextParts();
    const free = Math.max(0, contextLength - parts.total);
    const rows = [
      ...ROWS.flatMap(([part, name]) => (parts[part] > 0 ? [[name, parts[part]] as const] : [])),
      ['free', free] as const,
    ];
    const width = Math.max(...rows.map(([, tokens]) => `${tokens}`.length));
    const lines = rows.map(([name, tokens]) => `  ${name.padEnd(20)}${`${tokens}`.padStart(width)}`);
    return print([`Context: ${parts.total} of ${contextLength} tokens`, ...lines].join('\n'));
  },
};
