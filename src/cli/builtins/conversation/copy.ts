import { copyText } from '../../process/clipboard.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const copy: Builtin = {
  name: 'copy',
  argument: '[number]',
  help: 'copies the last reply to the clipboard; 1: its first block of code',
  run: async ({ history }, word, { terminal }) => {
    const reply = history.messages.findLast(
      message => message.role === 'assistant' && message.content.trim() !== '',
    )?.content;
    if (reply === undefined) return print('There is no reply to copy yet.');
    if (!/^\d*$/.test(word)) return print('/copy takes nothing, or the number of a block of code.');
    const blocks = codeBlocks(reply);
    const text = word === '' ? reply : blocks[Number(word) - 1];
    if (text === undefined) return print(missing(Number(word), blocks.length));
    const what = word === '' ? 'the last reply' : `block ${word} of the last reply`;
    const ways = await copyText(text, { terminal, env: process.env, platform: process.platform });
    const size = `${text.length} ${text.length === 1 ? 'character' : 'characters'}`;
    if (ways.used.length > 0) return print(`Copied ${what} (${size}) by ${ways.used.join(' and ')}.`);
    return print(`Not copied: ${ways.problems.join('; ')}.`);
  },
};

function missing(number: number, count: number): string {
  if (count === 0) return 'The last reply has no block of code.';
  return `The last reply has no block ${number}; it has ${count === 1 ? 'one' : `1 to ${count}`}.`;
}

/** The contents of fenced blocks, in order; one that is not closed goes to the end. */
function codeBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (open && fence?.startsWith(open.fence) && line.trim() === fence) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence !== undefined) open = { fence, lines: [] };
  }
  return open ? [...blocks, open.lines.join('\n')] : blocks;
}
