// Measures the cost of the screen: bytes written per byte of text, scrollback wipes, CPU and memory, compared with line
// mode and with a plain Ink program that keeps the whole answer in one <Text>. A 2,000-word answer at 200 tokens per
// second, then 75,000 words (100,000 tokens) at 4,000, then the same with a garbage collection every 2 s.
// Needs dist/ (npm run build); Linux only; about three minutes.
//   node scripts/measure/screen.mjs [WORDS, 2000] [MORE WORDS, 75000]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';

const [words = 2000, moreWords = 75_000] = process.argv.slice(2).map(Number);
if (!(words > 0 && moreWords > 0)) {
  console.error('Usage: node scripts/measure/screen.mjs [WORDS, 2000] [MORE WORDS, 75000]');
  process.exit(2);
}
const root = fileURLToPath(new URL('../..', import.meta.url));
const CHARS_PER_TOKEN = 5;
/** Longest run of one program; one that takes longer is stopped. */
const LIMIT_SECONDS = 60;
const folder = mkdtempSync(join(tmpdir(), 'llm-host-screen-'));

/** Prose with a code block after every fifth paragraph. */
function answer(words) {
  const parts = [];
  for (let word = 0; word < words; ) {
    const length = Math.min(50, words - word);
    parts.push(
      Array.from(
        { length },
        (_, at) => ['the', 'model', 'writes', 'something', 'here'][(word + at) % 5],
      ).join(' '),
    );
    word += length;
    if (parts.length % 6 === 5) {
      parts.push('```js\nconst sum = (a, b) => a + b; // adds\nreturn sum(1, 2);\n```');
    }
  }
  return `${parts.join('\n\n')}\n\nThe very end.`;
}

/** One run on a terminal of 80x24, from the moment the prompt has been sent until the program ends. */
function measure(main, args, script, answer, nodeArgs = []) {
  return new Promise((resolve, reject) => {
    const file = join(folder, `script-${basename(main)}-${answer.length}.json`);
    writeFileSync(file, JSON.stringify({ ...script, replies: [answer] }));
    const pty = spawnPty(process.execPath, [...nodeArgs, main, ...args], {
      cols: 80,
      rows: 24,
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        TERM: 'xterm',
        LANG: 'C.UTF-8',
        NODE_ENV: 'production',
        LLM_HOST_SCRIPT: file,
      },
    });
    let output = '';
    const samples = [];
    let timer;
    const sample = () => {
      const usage = usageOf(pty.pid);
      if (usage) samples.push(usage);
      if (usage && usage.at - samples[0].at > LIMIT_SECONDS) pty.kill('SIGKILL');
    };
    pty.onData(data => {
      output += data;
      if (timer || !output.includes('prompt ->')) return;
      output = '';
      sample();
      timer = setInterval(sample, 100);
      pty.write('go\rbye\r');
    });
    pty.onExit(({ exitCode, signal }) => {
      clearInterval(timer);
      if (samples.length < 2)
        return reject(new Error(`${main} ended with ${exitCode}, too soon to be measured:\n${output}`));
      resolve({ ...figures(output, samples), finished: !signal, size: Buffer.byteLength(answer) });
    });
  });
}

function figures(output, samples) {
  const [first] = samples;
  const last = samples.at(-1);
  const half = samples.find(({ at }) => at >= (first.at + last.at) / 2);
  return {
    bytes: Buffer.byteLength(output),
    wipes: output.split('\u001b[3J').length - 1,
    clears: output.split('\u001b[2J').length - 1,
    seconds: last.at - first.at,
    share: (last.cpu - first.cpu) / (last.at - first.at),
    megabytes: [first, half, last].map(({ megabytes }) => megabytes),
  };
}

/** CPU seconds, resident memory and time of a process; undefined when it has ended. Linux only. */
function usageOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  if (Number.isNaN(kilobytes)) return undefined; // ended, not yet reaped
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    megabytes: Math.round(kilobytes / 1024),
    at: performance.now() / 1000,
  };
}

const NAIVE = `
import { createElement, useEffect, useState } from '${root}node_modules/react/index.js';
import { Box, render, Text } from '${root}node_modules/ink/build/index.js';
import { readFileSync } from 'node:fs';
const { replies: [reply], msPerToken, charsPerToken } = JSON.parse(readFileSync(process.env.LLM_HOST_SCRIPT, 'utf8'));
function App() {
  const [text, setText] = useState('');
  useEffect(() => {
    process.stdin.once('data', () => {
      const started = performance.now();
      setInterval(() => {
        // By the clock, so that a late timer does not slow the stream down.
        const at = Math.round((performance.now() - started) / msPerToken) * charsPerToken;
        setText(reply.slice(0, at));
        if (at >= reply.length) setTimeout(() => process.exit(), 200);
      }, msPerToken);
    });
  }, []);
  return createElement(Box, { flexDirection: 'column' }, createElement(Text, null, text), createElement(Text, null, 'prompt -> '));
}
render(createElement(App));
`;

const MAIN = join(root, 'test/e2e/scripted-main.mjs');
const naive = join(folder, 'naive.mjs');
writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
writeFileSync(naive, NAIVE);

const HEAD = `| | bytes written | per byte of text | wipes | clears | CPU, share of one core | memory: start, half, end |
| --- | --- | --- | --- | --- | --- | --- |`;

async function compare(words, rate) {
  const text = answer(words);
  const script = { msPerToken: 1000 / rate, charsPerToken: CHARS_PER_TOKEN };
  const tokens = Math.ceil(text.length / CHARS_PER_TOKEN);
  console.log(`\n${words} words in ${tokens} tokens, ${rate} a second, 80x24\n\n${HEAD}`);
  console.log(row('llm-host', await measure(MAIN, ['x', '--no-mcp'], script, text)));
  // The cost of the conversation itself, without a screen.
  console.log(row('llm-host --plain', await measure(MAIN, ['x', '--no-mcp', '--plain'], script, text)));
  console.log(row('naive `<Text>`', await measure(naive, [], script, text)));
}

const PROBE = `
require('node:v8').setFlagsFromString('--expose-gc');
const collect = require('node:vm').runInNewContext('gc');
setInterval(() => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  require('node:fs').appendFileSync(process.env.HOME + '/heap.txt', heapUsed + ' ' + rss + '\\n');
}, 2000).unref();
`;

/** Memory in use while `words` stream by, from 4 s after the start on. */
async function inUse(words) {
  const probe = join(folder, 'probe.cjs');
  writeFileSync(probe, PROBE);
  await measure(
    MAIN,
    ['x', '--no-mcp'],
    { msPerToken: 0.25, charsPerToken: CHARS_PER_TOKEN },
    answer(words),
    ['--require', probe],
  );
  const notes = join(folder, 'heap.txt');
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n').slice(2) : [];
  if (lines.length === 0) return console.log('\nin use: over too soon to be measured');
  const at = [0, Math.floor(lines.length / 2), lines.length - 1];
  const shown = at.map(index =>
    lines[index]
      .split(' ')
      .map(bytes => (bytes / 1e6).toFixed(1))
      .join(' of '),
  );
  console.log(`\nin use, of resident, with the garbage collected every 2 s: ${shown.join(', ')} MB`);
}

function row(name, { bytes, wipes, clears, share, seconds, megabytes, finished, size }) {
  const label = finished ? name : `${name}, stopped unfinished`;
  const cpu = `${(share * 100).toFixed(0)} % of ${seconds.toFixed(1)} s`;
  const ratio = (bytes / size).toFixed(2);
  return `| ${label} | ${bytes} | ${ratio} | ${wipes} | ${clears} | ${cpu} | ${megabytes.join(', ')} MB |`;
}

try {
  await compare(words, 200);
  await compare(moreWords, 4000);
  await inUse(moreWords);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
