// Measures what the screen costs: bytes written per byte of text, scrollback wipes, CPU and memory, beside a plain
// Ink program that keeps the whole answer in one <Text>.
//   node scripts/measure-screen.mjs [words] [tokens per second]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = Number(process.argv[2] ?? 2000);
const rate = Number(process.argv[3] ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'llm-host-screen-'));

/** Prose with a code block after every fifth paragraph. */
function answer() {
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

function measure(main, args, env, sentence) {
  return new Promise(resolve => {
    let output = '';
    let usage;
    let asked = false;
    const pty = spawnPty(process.execPath, [main, ...args], {
      ...{ cols: 80, rows: 24, cwd: folder },
      env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8', ...env },
    });
    let before;
    pty.onData(data => {
      output += data;
      if (!asked && output.includes('prompt -> ')) {
        asked = true;
        before = usageOf(pty.pid);
        output = '';
        pty.write('go\r');
      }
      if (!usage && asked && plain(output).includes(sentence)) {
        usage = usageOf(pty.pid);
        pty.write('bye\r');
        setTimeout(() => pty.kill('SIGKILL'), 2000);
      }
    });
    pty.onExit(() =>
      resolve({
        bytes: Buffer.byteLength(output),
        wipes: output.split('\u001b[3J').length - 1,
        clears: output.split('\u001b[2J').length - 1,
        cpuSeconds: usage && before ? usage.cpu - before.cpu : Number.NaN,
        seconds: usage && before ? usage.at - before.at : Number.NaN,
        megabytes: [before?.megabytes, usage?.megabytes],
      }),
    );
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are no text
const plain = text => text.slice(-4000).replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '');

/** CPU seconds, resident memory and time of a process. Linux only. */
function usageOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
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
process.env.NODE_ENV = 'production';
const { replies: [reply], msPerToken, charsPerToken } = JSON.parse(readFileSync(process.env.LLM_HOST_SCRIPT, 'utf8'));
function App() {
  const [text, setText] = useState('');
  useEffect(() => {
    process.stdin.once('data', () => {
      let at = 0;
      const timer = setInterval(() => {
        at += charsPerToken;
        setText(reply.slice(0, at));
        if (at >= reply.length) clearInterval(timer);
      }, msPerToken);
    });
  }, []);
  return createElement(Box, { flexDirection: 'column' }, createElement(Text, null, text), createElement(Text, null, 'prompt -> '));
}
render(createElement(App));
`;

const text = answer();
const charsPerToken = 5;
const script = { replies: [text], msPerToken: 1000 / rate, charsPerToken };
writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
writeFileSync(join(folder, 'script.json'), JSON.stringify(script));
writeFileSync(join(folder, 'naive.mjs'), NAIVE);
const env = { LLM_HOST_SCRIPT: join(folder, 'script.json') };
const rows = [
  [
    'llm-host',
    await measure(join(root, 'test/e2e/scripted-main.mjs'), ['x', '--no-mcp'], env, 'The very end.'),
  ],
];
if (words <= 5000)
  rows.push(['naive <Text>', await measure(join(folder, 'naive.mjs'), [], env, 'The very end.')]);
const size = Buffer.byteLength(text);
console.log(`${words} words, ${size} bytes, ${rate} tokens a second, 80x24`);
console.log(
  '| | bytes written | per byte of text | wipes | clears | CPU, share of one core | memory before, after |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const [name, { bytes, wipes, clears, cpuSeconds, seconds, megabytes }] of rows) {
  const share = `${((cpuSeconds / seconds) * 100).toFixed(1)} % of ${seconds.toFixed(1)} s`;
  console.log(
    `| ${name} | ${bytes} | ${(bytes / size).toFixed(2)} | ${wipes} | ${clears} | ${share} | ${megabytes.join(', ')} MB |`,
  );
}
rmSync(folder, { recursive: true, force: true });
