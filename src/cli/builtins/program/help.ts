import { type Builtin, print } from '../base/builtin.ts';

export const help: Builtin = {
  name: 'help',
  help: 'lists the commands',
  plain: ['help'],
  run: (_session, _argument, { builtins }) => print(builtins.map(lineOf).join('\n')),
};

/** The longest of the names with what may follow them. */
const COLUMN = 30;

function lineOf({ name, aliases = [], argument = '', help: text }: Builtin): string {
  const names = [name, ...aliases].map(word => `/${word}`).join(', ');
  return `${`${names} ${argument}`.trim().padEnd(COLUMN)}  ${text}`;
}
