import stringWidth from 'string-width';
import { wrap } from '../markdown/wrap.ts';
import type { Theme } from '../style/theme.ts';

/** The box that the screen opens with. */
export interface Banner {
  readonly title: string;
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

/** Below this many columns there is no box. */
const MIN_WIDTH = 30;

/** A box of the window's width; each fact is named on its left. */
export function bannerRows({ title, facts }: Banner, columns: number, theme: Theme): string[] {
  const indent = Math.max(...facts.map(({ name }) => stringWidth(name))) + 2;
  const boxed = columns >= MIN_WIDTH;
  const room = columns - (boxed ? 4 : 0);
  const rows = facts.flatMap(({ name, text }) =>
    wrap(text, Math.max(1, room - indent)).map((part, row) => ({
      name: (row === 0 ? name : '').padEnd(indent),
      text: part,
    })),
  );
  if (!boxed) return [theme.bold(title), ...rows.map(({ name, text }) => `${theme.dim(name)}${text}`)];
  const side = theme.dim('│');
  return [
    `${theme.dim('╭─')} ${theme.bold(title)} ${theme.dim(`${'─'.repeat(Math.max(0, room - stringWidth(title) - 1))}╮`)}`,
    ...rows.map(({ name, text }) => {
      const rest = ' '.repeat(Math.max(0, room - indent - stringWidth(text)));
      return `${side} ${theme.dim(name)}${text}${rest} ${side}`;
    }),
    theme.dim(`╰${'─'.repeat(room + 2)}╯`),
  ];
}
