import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { workplace } from '../program.ts';
import { expectRestored, startScreen } from '../scripted-screen.ts';

const LIMIT_MS = 180_000;

test('resize while it streams, 120x40 to 40x10 and back: no word lost, no wipe', {
  timeout: LIMIT_MS,
}, async () => {
  const words = Array.from({ length: 300 }, (_, index) => `w${index}`);
  const paragraphs = Array.from({ length: 10 }, (_, index) =>
    words.slice(index * 30, index * 30 + 30).join(' '),
  );
  const terminal = await startScreen(
    { replies: [paragraphs.join('\n\n')], msPerToken: 3 },
    { size: { cols: 120, rows: 40 } },
  );
  terminal.type('go\r');
  await terminal.displays('w60 ');
  terminal.resize(40, 10);
  await terminal.displays('w150 ');
  terminal.resize(120, 40);
  await terminal.displays('w299');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  const shown = (await terminal.emulator.lines()).join(' ');
  for (const word of words) expect(shown).toContain(word);
  expect(terminal.screen).not.toMatch(/\[3J|\[2J/);
});

/** Drags the window of a chat that writes `words`; which of them are not on the screen in the end. */
async function lostWhileDragged(words: readonly string[]) {
  const paragraphs = Array.from({ length: 10 }, (_, index) =>
    words.slice(index * 50, index * 50 + 50).join(' '),
  );
  const terminal = await startScreen(
    { replies: [paragraphs.join('\n\n')], charsPerToken: 4, msPerToken: 8 },
    { size: { cols: 120, rows: 40 } },
  );
  terminal.type('go\r');
  await terminal.displays('w40 ');
  let told = Date.now();
  let slowestMs = 0;
  for (const [index, columns] of [100, 45, 90, 38, 110, 50, 80, 40, 100].entries()) {
    // The first is told at once.
    terminal.resize(columns, 30, index === 0 ? 0 : 200);
    await sleep(220);
    slowestMs = Math.max(slowestMs, Date.now() - told);
    told = Date.now();
  }
  await terminal.displays('w499');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  const shown = (await terminal.emulator.lines(true)).join(' ');
  return { lost: words.filter(word => !new RegExp(`\\b${word}\\b`).test(shown)), slowestMs };
}

test('dragged in a terminal that tells of it late, as tmux does: no word lost', {
  timeout: LIMIT_MS,
}, async () => {
  const words = Array.from({ length: 500 }, (_, index) => `w${index}`);
  let run = await lostWhileDragged(words);
  // A machine with no time for this test is no terminal that tells within 250 ms.
  while (run.slowestMs > 250) run = await lostWhileDragged(words);
  expect(run.lost).toEqual([]);
});

test('a paste of 500 lines is folded and sent whole, and is whole and folded in the history', {
  timeout: LIMIT_MS,
}, async () => {
  const env = { EDITOR: 'sed -i s/499/five-hundred/' };
  const terminal = await startScreen({ replies: ['Read.'] }, { env });
  const paste = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\r');
  terminal.type(`\u001b[200~${paste}\u001b[201~`);
  await terminal.displays('[Pasted text #1: 500 lines]');
  terminal.type('\r');
  const lines = await terminal.displays('assistant -> Read.');
  expect(lines).toContain('▌ prompt -> [Pasted text #1: 500 lines]');
  expect(lines).not.toContain('line 499');
  terminal.type('\u001b[A');
  await terminal.displays('\nprompt -> [Pasted text #1: 500 lines]');
  // Ctrl+G
  terminal.type('\u0007');
  await terminal.displays('line five-hundred');
  terminal.type('\u0003');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test('a window of one cell is survived', { timeout: LIMIT_MS }, async () => {
  const terminal = await startScreen({ replies: ['Hello there.'] }, { size: { cols: 1, rows: 1 } });
  terminal.type('hi\rbye\r');
  expect(await terminal.exits(60_000)).toBe(0);
});

test('SIGTERM and an uncaught error give the terminal back', { timeout: LIMIT_MS }, async () => {
  const busy = await startScreen({ replies: [manyWords(5000)], msPerToken: 5 });
  busy.type('go\r');
  await busy.displays('assistant -> word');
  process.kill(busy.pid, 'SIGTERM');
  expect(await busy.exits()).toBe(143);
  expectRestored(busy);
  const broken = await startScreen({ replies: ['x'], throwAt: 'x' });
  broken.type('go\r');
  expect(await broken.exits()).toBe(1);
  expectRestored(broken);
  expect(broken.screen).toContain('Error: thrown by the script');
});

test('nothing but the program itself writes on the screen: warnings, stderr and the console go to the log', {
  timeout: LIMIT_MS,
}, async () => {
  const log = join(workplace().dir, 'own.log');
  const terminal = await startScreen(
    { replies: ['Before x and after.'], noiseAt: 'x' },
    { args: ['--debug', '--log-file', log] },
  );
  terminal.type('go\r');
  await terminal.displays('assistant -> Before x and after.');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  expect(terminal.screen).not.toContain('noise');
  const text = readFileSync(log, 'utf8');
  for (const what of ['noise of Node', 'noise on stderr', 'noise of the console', '"msg":"assistant"'])
    expect(text).toContain(what);
});

test('Ctrl+G: the prompt in $EDITOR, which has the terminal in its normal mode', {
  timeout: LIMIT_MS,
}, async () => {
  const { dir } = workplace({
    'editor.sh': `stty -a > "$(dirname "$0")/modes.txt"\nprintf ' and more' >> "$1"\n`,
  });
  const terminal = await startScreen({ replies: ['Read.'] }, { env: { EDITOR: `sh ${dir}/editor.sh` } });
  terminal.type('some text\u0007');
  await terminal.displays('prompt -> some text and more');
  expect(readFileSync(join(dir, 'modes.txt'), 'utf8')).toMatch(/(?<!-)\bicanon\b/);
  terminal.type('\r');
  await terminal.displays('assistant -> Read.');
  writeFileSync(join(dir, 'editor.sh'), 'exit 3\n');
  terminal.type('kept\u0007');
  const unwrapped = (await terminal.displays('unchanged')).join('\n').replaceAll(/\n│ */g, ' ');
  expect(unwrapped).toContain('ended with exit code 3; the prompt is unchanged');
  await terminal.displays('prompt -> kept');
  terminal.type('\u0003quit\r');
  expect(await terminal.exits()).toBe(0);
  expectRestored(terminal);
});

test('NO_COLOR: no colour reaches the terminal', { timeout: LIMIT_MS }, async () => {
  const terminal = await startScreen(
    { replies: ['# T\n\n`code` [l](http://x)\n\n```js\nconst a = "s"; // c\n```'] },
    { env: { NO_COLOR: '1' } },
  );
  terminal.type('go\r');
  await terminal.displays('const a');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
  expect(terminal.screen).not.toMatch(/\u001b\[(3[0-7]|9[0-7])m/);
});

test('at rest the cursor follows the keys, and Ctrl+L and a new size draw the prompt again', {
  timeout: LIMIT_MS,
}, async () => {
  const terminal = await startScreen({ replies: [] });
  terminal.type('漢abc');
  const lines = await terminal.displays('prompt -> 漢abc');
  const row = lines.findIndex(line => line.startsWith('prompt -> '));
  const column = 'prompt -> '.length;
  for (const [keys, expected] of [
    ['\u001b[D\u001b[D', column + 3],
    ['\u001b[H', column],
    ['\u001b[C', column + 2],
    ['\u001b[F', column + 5],
  ] as const) {
    terminal.type(keys);
    await expect.poll(() => terminal.emulator.cursor()).toEqual({ row, column: expected });
  }
  for (const change of [
    () => terminal.type('\u000c'),
    () => terminal.resize(100, 20),
    () => terminal.resize(140, 30),
  ]) {
    terminal.screen = '';
    change();
    await terminal.shows('prompt -> 漢abc');
    await terminal.shows('0/0 servers');
  }
  terminal.type('\u0015bye\r');
  expect(await terminal.exits()).toBe(0);
});

test('200 columns: one width for banner, rules, prompts, replies and notices; code takes what it needs', {
  timeout: LIMIT_MS,
}, async () => {
  const code = `const long = '${manyWords(25).trim().replaceAll(' ', '-')}';`;
  const terminal = await startScreen(
    { replies: [`${manyWords(40)}\n\n\`\`\`js\n${code}\n\`\`\``] },
    { size: { cols: 200, rows: 50 } },
  );
  terminal.type(`${'a prompt of words '.repeat(10)}FINIS`);
  const typed = await terminal.displays('FINIS');
  expect(typed.filter(line => /^[╭╰─]/.test(line)).map(line => line.length)).toEqual([100, 100, 100, 100]);
  terminal.type('\r');
  const lines = await terminal.displays("-word24';");
  const wide = lines.filter(line => line.length > 100);
  expect(wide.map(line => line.trim())).toEqual([code]);
  for (const start of ['▌ ', 'assistant -> ', '╭'])
    expect(lines.find(line => line.startsWith(start))?.length).toBeGreaterThan(80);
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});

test('the use of the context grows while a reply streams', { timeout: LIMIT_MS }, async () => {
  const terminal = await startScreen({ replies: [manyWords(600)], msPerToken: 1 });
  terminal.type('go\r');
  const seen = new Set<string>();
  const used = async () => / ctx (\d+)\//.exec((await terminal.emulator.lines()).join('\n'))?.[1];
  for (let reads = 0; seen.size < 4; reads++) {
    if (reads > 4000) throw new Error(`only ${[...seen]} were shown`);
    seen.add((await used()) ?? '0');
    await sleep(10);
  }
  await terminal.displays('tok/s');
  // One token a character.
  const first = [...seen].map(Number)[1] ?? 0;
  for (let reads = 0; Number(await used()) < first + 3000; reads++) {
    if (reads > 1000) throw new Error(`${await used()} is not what the whole reply takes`);
    await sleep(10);
  }
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});
