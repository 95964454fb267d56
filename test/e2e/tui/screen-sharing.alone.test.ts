import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { png } from '../../tui/images/png.ts';
import { processesLeft, ROOT, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 180_000;
const ASKING = { command: process.execPath, args: [join(ROOT, 'test', 'fixtures', 'mcp', 'asking.mjs')] };
const POLITE = { command: process.execPath, args: [join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs')] };

/** A folder whose engine replays a script. */
function place(script: object, servers: object = {}) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers }),
    'script.json': JSON.stringify(script),
  });
  return { dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test('lines typed before the screen opens are asked, one after another', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = place({ replies: ['One.', 'Two.'] });
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
  terminal.type('first\rsecond\rbye\r');
  expect(await terminal.exits(60_000)).toBe(0);
  const lines = (await terminal.emulator.lines(true)).join('\n');
  expect(lines).toContain(
    '▌ prompt -> first\n\nassistant -> One.\n\n▌ prompt -> second\n\nassistant -> Two.\n',
  );
  // Once it is open, Ctrl+J is a new line.
  const { dir: other, env: its } = place({ replies: ['Both.'] });
  const open = new Terminal(SCRIPTED_MAIN, ['x'], other, its);
  await open.displays('prompt ->');
  open.type('a');
  await open.displays('prompt -> a');
  open.type('b');
  await open.displays('prompt -> ab');
  open.type('\nc\r');
  await open.displays('▌ prompt -> ab\n▌ c\n\nassistant -> Both.');
  open.type('quit\r');
  expect(await open.exits()).toBe(0);
});

test("a server's form takes the terminal and gives it back; @ completes its resources", {
  timeout: LIMIT_MS,
}, async () => {
  const call = '<tool_call>\n{"name": "ask", "arguments": {}}\n</tool_call>';
  const { dir, env } = place({ replies: [call, 'Hello.', 'Milk.'] }, { asking: ASKING });
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
  await terminal.displays('prompt ->');
  terminal.type('go\r');
  await terminal.displays('Answer (Name)? yes or no [no]:');
  expect(terminal.screen.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
    terminal.screen.lastIndexOf('\u001b[?2004h'),
  );
  terminal.type('yes\r');
  await terminal.displays('  Name:');
  terminal.type('Ada\r');
  await terminal.displays('Result: accept Ada');
  await terminal.displays('assistant -> Hello.');

  terminal.type('@ask');
  await terminal.displays('prompt -> @ask');
  // The list of resources comes after the server is ready; until then Tab finds nothing.
  while (!(await terminal.emulator.lines()).join('\n').includes('prompt -> @asking:note://shopping')) {
    terminal.type('\t');
    await sleep(100);
  }
  terminal.type('\r');
  await terminal.displays('Attached asking:note://shopping');
  await terminal.displays('assistant -> Milk.');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test("Esc cancels a server's form, not the turn", { timeout: LIMIT_MS }, async () => {
  const call = '<tool_call>\n{"name": "ask", "arguments": {}}\n</tool_call>';
  const { dir, env } = place({ replies: [call, 'Never mind.', 'Hello.'] }, { asking: ASKING });
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
  await terminal.displays('prompt ->');
  terminal.type('go\r');
  await terminal.displays('Answer (Name)? yes or no [no]:');
  terminal.type('yes\r');
  await terminal.displays('Esc cancels the form.');
  await terminal.displays('  Name:');
  terminal.type('Ad\u001b');
  await terminal.displays('Result: cancel undefined');
  await terminal.displays('assistant -> Never mind.');
  terminal.type('hi\r');
  await terminal.displays('assistant -> Hello.');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test('an image of a result is drawn below it; the model and the user are told where it is', {
  timeout: LIMIT_MS,
}, async () => {
  const image = png(300, 200);
  const claim = Buffer.from('\x89PNG\r\n\x1a\n\u001b]0;owned\u0007', 'latin1');
  const call = (data: Buffer) =>
    `<tool_call>\n${JSON.stringify({ name: 'image', arguments: { data: data.toString('base64') } })}\n</tool_call>`;
  const { dir, env } = place({ replies: [call(image), call(claim), 'Black.'] }, { polite: POLITE });
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, { ...env, TERM_PROGRAM: 'iTerm.app' });
  await terminal.displays('prompt ->');
  terminal.type('go\r');
  const lines = await terminal.displays('assistant -> Black.');
  const result = lines.findIndex(line => /Result: \[image image\/png, .*\/1\.png\]/.test(line));
  expect(lines.slice(result + 1, result + 11)).toEqual(new Array(10).fill('│'));
  expect(terminal.emulator.images).toHaveLength(1);
  expect(terminal.screen).toContain(`size=${image.length};width=30;height=10;`);
  expect(terminal.screen).toContain(`:${image.toString('base64')}\u0007`);
  expect(terminal.screen).not.toContain('owned');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test.runIf(existsSync('/usr/bin/setsid'))(
  'a terminal that goes away in mid-turn, without a signal: the program ends and leaves nothing behind',
  { timeout: LIMIT_MS },
  async () => {
    const { dir, env } = place(
      { replies: [manyWords(5000)], msPerToken: 5 },
      { asking: { ...ASKING, args: [...ASKING.args, 'mark'] } },
    );
    // Not its controlling terminal, so that no SIGHUP comes: writes fail instead.
    const script = join(dir, 'run.sh');
    writeFileSync(script, `trap '' HUP\nsetsid -w "$@" 2>stderr.txt\necho $? >code.txt\n`);
    const pty = spawn('/bin/sh', [script, process.execPath, SCRIPTED_MAIN, 'x', '--quiet'], {
      cols: 80,
      rows: 24,
      cwd: dir,
      env,
    });
    let screen = '';
    let asked = false;
    await new Promise<void>(resolve => {
      pty.onData(data => {
        screen += data;
        if (!asked && screen.includes('\u001b[?2004h')) pty.write('go\r');
        asked ||= screen.includes('\u001b[?2004h');
        if (screen.includes('assistant ->')) resolve();
      });
    });
    (pty as unknown as { destroy(): void }).destroy();
    expect(await processesLeft(dir, 20_000)).toEqual([]);
    // A server that is slow to start may have been told.
    const told = readFileSync(join(dir, 'stderr.txt'), 'utf8').replaceAll(
      /^Notice: Server 'asking' .*\n/gm,
      '',
    );
    expect([readFileSync(join(dir, 'code.txt'), 'utf8'), told]).toEqual(['0\n', '']);
  },
);

test('Ctrl+Z goes back to the shell, fg goes on; where no shell waits it changes nothing', {
  timeout: LIMIT_MS,
}, async () => {
  const { dir, env } = place({ replies: ['Hello.'] });
  const shell = `require('node:child_process').spawnSync('bash', ['--norc', '-i'], { stdio: 'inherit' })`;
  const terminal = new Terminal('-e', [shell], dir, { ...env, PS1: 'shell> ', MAIN: SCRIPTED_MAIN });
  await terminal.displays('shell>');
  terminal.type(`'${process.execPath}' "$MAIN" x\r`);
  await terminal.displays('prompt ->');
  terminal.type('half');
  await terminal.displays('prompt -> half');
  terminal.type('\u001a');
  await terminal.displays('Stopped');
  await terminal.displays('shell>', { times: 2 });
  // A terminal that was not given back would not turn this Return into a line.
  terminal.type('echo so$((40 + 2))\r');
  await terminal.displays('so42');
  terminal.type('fg\r');
  await terminal.displays('prompt -> half');
  terminal.type(' way\r');
  await terminal.displays('prompt -> half way\n\nassistant -> Hello.');
  terminal.type('bye\r');
  await terminal.displays('shell>', { times: 4 });
  terminal.type('exit\r');
  expect(await terminal.exits()).toBe(0);

  const alone = place({ replies: ['Still here.'] });
  const orphan = new Terminal(SCRIPTED_MAIN, ['x'], alone.dir, alone.env);
  await orphan.displays('prompt ->');
  orphan.type('\u001ago\r');
  await orphan.displays('prompt -> go\n\nassistant -> Still here.');
  orphan.type('bye\r');
  expect(await orphan.exits()).toBe(0);
});

test.each([[[]], [['--plain']]])(
  'a window closed in a turn: it is saved as far as it got (%j)',
  {
    timeout: LIMIT_MS,
  },
  async args => {
    const { dir, env } = place({ replies: [manyWords(10_000)], msPerToken: 5 });
    const pty = spawn(process.execPath, [SCRIPTED_MAIN, 'x', ...args], { cwd: dir, env });
    let screen = '';
    pty.onData(data => {
      screen += data;
    });
    await expect.poll(() => screen, { timeout: 60_000 }).toContain('prompt ->');
    pty.write('one\r');
    await expect.poll(() => screen, { timeout: 60_000 }).toContain('assistant -> word');
    (pty as unknown as { destroy(): void }).destroy();
    // A shell sends a second one.
    process.kill(pty.pid, 'SIGHUP');
    const folder = join(dir, 'home', '.local', 'state', 'llm-host', 'sessions');
    await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => processesLeft(dir), { timeout: 20_000 }).toEqual([]);
    const [saved = ''] = readdirSync(folder);
    expect(JSON.parse(readFileSync(join(folder, saved), 'utf8')).messages.slice(1)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: expect.stringContaining('word') },
    ]);
  },
);
