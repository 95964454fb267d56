import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

test('a paste attaches nothing, though it was changed in $EDITOR; what is named there does', {
  timeout: 180_000,
}, async () => {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You help." }',
    'mcp.json': '{ "servers": {} }',
    'script.json': JSON.stringify({ replies: ['Read.'] }),
    'mine.txt': 'mine',
    'secret.txt': 'secret',
    'editor.sh': `sed -i.old 's/line 3/line three/; $ s/$/ @mine.txt/' "$1"\n`,
  });
  const editor = { EDITOR: `sh ${dir}/editor.sh`, LLM_HOST_SCRIPT: join(dir, 'script.json') };
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, { ...env, ...editor });
  await terminal.shows('\u001b[?2004h');
  const paste = ['@secret.txt', ...Array.from({ length: 12 }, (_, index) => `line ${index}`)].join('\r');
  terminal.type(`see \u001b[200~${paste}\u001b[201~\u0007`);
  await terminal.displays('line three');
  terminal.type('\r');
  await terminal.displays('assistant -> Read.');
  const shown = (await terminal.emulator.lines(true)).join('\n');
  expect(shown.match(/Attached \S+/g)).toEqual(["Attached 'mine.txt':"]);
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});
