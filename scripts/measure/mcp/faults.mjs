// All misbehaving servers (test/fixtures/mcp/faults.mjs) in one chat, with figures: the time of each turn, the program's
// peak memory during it, processes left at the end. Junk flows for 60 s. Then three starts with eight servers, one of
// which hangs. Needs dist/ (npm run build); Linux only; about two minutes.
//   node scripts/measure/mcp/faults.mjs [SECONDS OF JUNK, 60] [STARTS, 3]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';
import { faults, script } from '../../../test/fixtures/mcp/faults.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(root, 'test/e2e/scripted-main.mjs');
const CALCULATOR = {
  command: process.execPath,
  args: [join(root, 'dist/cli/main.js'), 'server', 'calculator'],
};
const [seconds = 60, starts = 3] = process.argv.slice(2).map(Number);
if (!(seconds >= 1 && starts >= 0)) {
  console.error('Usage: node scripts/measure/mcp/faults.mjs [SECONDS OF JUNK, 60] [STARTS, 3]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'llm-host-faults-'));
const mark = `mark-${process.pid}`;

function prepare(servers, replies) {
  writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ servers }));
  writeFileSync(join(folder, 'script.json'), JSON.stringify(replies));
  const { PATH } = process.env;
  const own = { LLM_HOST_TRUST_MCP: '1', LLM_HOST_SCRIPT: join(folder, 'script.json') };
  return { cwd: folder, env: { PATH, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8', ...own } };
}

const megabytesOf = pid =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);

/** Command lines that mention the word. */
function processesWith(word) {
  return readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false; // it ended while we looked
    }
  });
}

async function chatWithAll() {
  const note = join(folder, 'grandchild');
  const table = faults({ mark, note, seconds });
  const servers = Object.fromEntries(Object.entries(table).map(([name, { entry }]) => [name, entry]));
  const child = spawn(
    process.execPath,
    [MAIN, 'x', '--plain'],
    prepare({ ...servers, calculator: CALCULATOR }, script(table)),
  );
  let text = '';
  let peak = 0;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk));
  const sampler = setInterval(() => (peak = Math.max(peak, megabytesOf(child.pid))), 50);
  const shows = async what => {
    while (!text.includes(what)) {
      if (child.exitCode !== null) throw new Error(`ended:\n${text}`);
      await sleep(10);
    }
  };
  const ended = new Promise(resolve => child.on('close', resolve));
  const begun = performance.now();
  await shows('Ready.');
  console.log(
    `${Object.keys(servers).length} servers that misbehave and the calculator: ready after ${since(begun)} s\n`,
  );
  console.log('| a server that | what was shown | turn | largest memory |\n| --- | --- | --- | --- |');
  for (const [server, { what, tool, shows: expected }] of Object.entries(table)) {
    const from = performance.now();
    const at = tool === undefined ? 0 : text.length;
    peak = megabytesOf(child.pid);
    if (tool !== undefined) {
      child.stdin.write(`${server}\n`);
      await shows(`assistant -> after ${server}\n`);
    }
    const shown = expected.exec(text.slice(at))?.[0];
    if (shown === undefined) throw new Error(`${server}: ${text.slice(at)}`);
    console.log(
      `| ${what} | \`${shown.slice(0, 90)}\` | ${tool === undefined ? '' : `${since(from)} s`} | ${peak} MB |`,
    );
  }
  child.stdin.write('2+2\n');
  await shows('assistant -> four');
  const from = performance.now();
  child.stdin.write('quit\n');
  const code = await ended;
  clearInterval(sampler);
  await sleep(500);
  const left = [...processesWith(mark), ...processesWith(readFileSync(note, 'utf8'))].length;
  console.log(
    `\nthen: the calculator answered; closed in ${since(from)} s with ${code}; processes left: ${left}`,
  );
}

/** Seconds until the prompt is there on a terminal. */
function promptAfter(servers) {
  return new Promise(resolve => {
    const begun = performance.now();
    const pty = spawnPty(process.execPath, [MAIN, 'x'], {
      cols: 80,
      rows: 24,
      ...prepare(servers, { replies: [] }),
    });
    let text = '';
    pty.onData(data => {
      text += data;
      if (!text.includes('\u001b[?2004h')) return;
      const took = Number(since(begun));
      text = '';
      pty.write('\u0003');
      pty.onExit(() => resolve(took));
    });
  });
}

async function startOfEight() {
  const table = faults({ mark, note: '' });
  const seven = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`good-${index}`, CALCULATOR]));
  for (let round = 1; round <= starts; round++) {
    const alone = await promptAfter(seven);
    const { entry } = table.mute;
    const beside = await promptAfter({ ...seven, hanging: { command: entry.command, args: entry.args } });
    console.log(
      `start ${round}: prompt after ${alone} s with seven servers, ${beside} s with an eighth that hangs: ${(beside - alone).toFixed(2)} s later`,
    );
  }
}

const since = begun => ((performance.now() - begun) / 1000).toFixed(2);

try {
  await chatWithAll();
  await startOfEight();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
