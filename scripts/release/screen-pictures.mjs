// Makes the pictures in docs/pictures: the real program on a pseudo-terminal, read back from a terminal emulator.
// The first two show the demo model, the others an engine that replays a script, so that they always show the same. Needs dist/ (npm run build) and the demo's weights.
//   node scripts/release/screen-pictures.mjs [--to FOLDER] [name...]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { reportUncaught } from '../lib/setup-error.mjs';
import { screenSvg } from './screen-svg.mjs';

reportUncaught();

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: join(root, 'docs/pictures') } },
});
const target = resolve(values.to);
const MAIN = join(root, 'dist/cli/main.js');
const SCRIPTED = join(root, 'test/e2e/scripted-main.mjs');
const LIMIT_MS = 120_000;
const [CTRL_C, CTRL_L, CTRL_O, CTRL_R, DOWN] = ['\u0003', '\u000c', '\u000f', '\u0012', '\u001b[B'];

const call = (name, args = {}) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const calculator = { command: process.execPath, args: [MAIN, 'server', 'calculator'] };
const files = folder => ({ command: process.execPath, args: [MAIN, 'server', 'files', '--root', folder] });
const polite = { command: process.execPath, args: [join(root, 'test/fixtures/mcp/polite.mjs')] };

const MARKDOWN = `## Which to take

| sort | worst case | stable |
| --- | --- | --- |
| merge sort | n log n | yes |
| heap sort | n log n | no |

*Merge sort* keeps equal items in order:

\`\`\`js
const half = items.length >> 1; // rounds down
return merge(sort(items.slice(0, half)), sort(items.slice(half)));
\`\`\`

1. Both need **n log n** steps at worst.
2. Heap sort needs no memory of its own.`;

/** name, title, what the terminal is, and what a person does until the picture is taken. */
const STATES = [
  {
    name: 'first-minute',
    title: 'npm run demo',
    rows: 25,
    main: MAIN,
    args: ['demo', '--quiet'],
    act: async terminal => {
      await terminal.ask('What is 17 plus 25?', 'Result: 42');
      await terminal.ask('What does shopping.txt say?', 'Result: milk');
      await terminal.ask('What is the capital of France?', 'France?\n\nassistant -> ');
    },
  },
  {
    name: 'banner',
    title: 'llm-host demo',
    rows: 13,
    main: MAIN,
    args: ['demo'],
    loud: true,
    act: terminal => terminal.settles(),
  },
  {
    name: 'markdown',
    title: 'a reply with a table and code',
    rows: 20,
    script: { replies: [MARKDOWN], charsPerToken: 4, msPerToken: 15 },
    act: terminal => terminal.ask('merge sort or heap sort?', 'memory of its own'),
  },
  {
    name: 'tools-running',
    title: 'tools at work',
    rows: 16,
    servers: { calculator, polite },
    script: {
      replies: [call('add', { a: 17, b: 25 }) + call('steps', { pauseMs: 4000 })],
      charsPerToken: 5,
      msPerToken: 15,
    },
    act: async terminal => {
      terminal.type('add 17 and 25, then take the steps\r');
      await terminal.shows('step 2');
      terminal.type('and tell me when');
      await terminal.shows('tell me when');
      terminal.type('\r');
      await terminal.shows('queued:');
    },
  },
  {
    name: 'approval',
    title: 'the question before a call that may delete something',
    rows: 17,
    servers: folder => ({ files: files(folder) }),
    script: { replies: [call('delete_file', { filename: 'poem.txt' })], charsPerToken: 5, msPerToken: 15 },
    act: async terminal => {
      terminal.type('delete poem.txt\r');
      await terminal.shows('Run delete_file');
      await terminal.settles();
    },
  },
  {
    name: 'results',
    title: 'a timeout, an error, a folded result shown in full by Ctrl+O',
    rows: 39,
    servers: folder => ({ calculator, files: files(folder), polite }),
    args: ['--tool-timeout', '2'],
    script: {
      replies: [
        call('wait'),
        call('divide', { a: 1, b: 0 }),
        call('read_file', { filename: 'poem.txt' }),
        'The poem has 14 lines; the other two calls failed.',
      ],
      charsPerToken: 5,
      msPerToken: 15,
    },
    act: async terminal => {
      await terminal.ask('try them all', 'calls failed');
      terminal.type(CTRL_O);
      await terminal.shows('line 14');
    },
  },
  {
    name: 'completion',
    title: 'the menu that opens as a command is typed',
    rows: 15,
    servers: { calculator },
    script: { replies: ['Hello.'], msPerToken: 15 },
    act: async terminal => {
      await terminal.ask('hi', 'Hello.');
      terminal.type('/');
      await terminal.shows('below');
      terminal.type(DOWN);
      await terminal.shows('prompt -> /help');
    },
  },
  {
    name: 'narrow',
    title: '40 columns, 15 rows',
    rows: 15,
    cols: 40,
    servers: { calculator },
    script: {
      replies: [call('add', { a: 17, b: 25 }), 'Seventeen and twenty-five are **42**.'],
      charsPerToken: 5,
      msPerToken: 15,
    },
    act: terminal => terminal.ask('add 17 and 25', 'are 42'),
  },
  {
    name: 'search',
    title: 'earlier prompts by Ctrl+R',
    rows: 14,
    cols: 48,
    servers: { calculator },
    script: { replies: ['It is 42.', 'Rain in the evening.'], msPerToken: 15 },
    act: async terminal => {
      await terminal.ask('what is 6 times 7?', 'It is 42.');
      await terminal.ask('and the weather?', 'Rain in the evening.');
      terminal.type(`${CTRL_R}times`);
      await terminal.shows("search 'times'");
    },
  },
];

class Terminal {
  constructor(pty, cols, rows) {
    this.pty = pty;
    this.emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true });
    pty.onData(data => {
      this.written = new Promise(resolve => this.emulator.write(data, resolve));
    });
  }

  type(keys) {
    this.pty.write(keys);
  }

  get text() {
    const { active } = this.emulator.buffer;
    const lines = Array.from({ length: active.length }, (_, row) =>
      active.getLine(row)?.translateToString(true),
    );
    return lines.join('\n');
  }

  async shows(text) {
    const until = performance.now() + LIMIT_MS;
    while (!this.text.includes(text)) {
      if (performance.now() > until) throw new Error(`'${text}' is not shown:\n${this.text}`);
      await sleep(20);
      await this.written;
    }
  }

  async ask(prompt, answer) {
    this.type(`${prompt}\r`);
    await this.shows(answer);
    await this.settles();
  }

  /** Lets the first turn say which servers were slow, and clears the screen. */
  async hearNotices() {
    await this.ask('2 + 3', 'assistant ->');
    await this.ask('/clear', 'prompt -> /clear');
    this.type(CTRL_L);
    await this.settles();
  }

  /** Waits until nothing moves any more: the prompt is there again. */
  async settles() {
    for (let before = ''; before !== this.text; await sleep(1500)) {
      await this.written;
      before = this.text;
    }
  }
}

async function take({
  name,
  title,
  rows,
  cols = 80,
  main = SCRIPTED,
  args = [],
  servers = {},
  script = {},
  loud = false,
  act,
}) {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-picture-'));
  const entries = typeof servers === 'function' ? servers(folder) : servers;
  writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
  if (main === SCRIPTED) writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ servers: entries }));
  const { replies = [], ...pace } = script;
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ ...pace, replies: ['Five.', ...replies] }));
  const poem = Array.from({ length: 14 }, (_, index) => `line ${index + 1}`);
  writeFileSync(join(folder, 'poem.txt'), `${poem.join('\n')}\n`);
  const { PATH, XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
  const env = {
    PATH,
    XDG_CACHE_HOME,
    HOME: folder,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    LLM_HOST_TRUST_MCP: '1',
    LLM_HOST_SCRIPT: join(folder, 'script.json'),
  };
  const command =
    main === SCRIPTED ? [main, 'scripted', ...(loud ? [] : ['--quiet']), ...args] : [main, ...args];
  const pty = spawn(process.execPath, command, { cols, rows, cwd: folder, env });
  const terminal = new Terminal(pty, cols, rows);
  try {
    await terminal.shows('prompt ->');
    const count = main === SCRIPTED ? Object.keys(entries).length : 2;
    if (cols >= 80) await terminal.shows(`${count}/${count} servers`);
    if (!loud) await terminal.hearNotices();
    else if (terminal.text.includes('Notice:')) return false;
    await act(terminal);
    await sleep(200);
    await terminal.written;
    const picture = join(target, `${name}.svg`);
    writeFileSync(picture, screenSvg(terminal.emulator, title));
    console.log(picture);
    return true;
  } finally {
    const ended = new Promise(resolve => pty.onExit(resolve));
    pty.write(`${CTRL_C}${CTRL_C}${CTRL_C}`);
    // A pending timer must not keep this process alive.
    await Promise.race([ended, sleep(5000, undefined, { ref: false }).then(() => pty.kill('SIGKILL'))]);
    rmSync(folder, { recursive: true, force: true });
  }
}

const unknown = wanted.filter(name => !STATES.some(state => state.name === name));
if (unknown.length > 0) {
  const names = STATES.map(({ name }) => name).join(', ');
  console.error(`Unknown picture: ${unknown.join(', ')}. Known: ${names}`);
  process.exit(2);
}
mkdirSync(target, { recursive: true });
for (const state of STATES) {
  if (wanted.length > 0 && !wanted.includes(state.name)) continue;
  // On a busy machine servers are late, and a notice says so.
  for (let tries = 5; !(await take(state)) && tries > 1; tries--);
}
