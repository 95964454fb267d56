// Thousands of turns with tool calls: is memory flat, is every call answered once? Servers are killed and restarted at
// random, the conversation is saved, loaded and cleared, `serve` answers requests beside it, and a saved conversation is
// resumed in a program of its own. Then turns with the real engine (the demo). Writes samples (JSON lines) and curves (CSV,
// SVG) to build/soak and prints growth per 1,000 turns; Ctrl+C ends it early. Exit 1 if a call has no result, or two, or a
// wrong one. Needs dist/ (npm run build) and the addon; Linux only; 5 minutes for 20,000 scripted turns, half an hour for
// 2,000 real ones.
//   node scripts/measure/soak.mjs [SCRIPTED TURNS, 20000] [REAL TURNS, 2000]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSamples, table, writeCurves } from './soak/curves.mjs';
import { JsonChat } from './soak/json-chat.mjs';
import { ServeBeside } from './soak/serve-beside.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [scripted = 20_000, real = 2000] = process.argv.slice(2).map(Number);
if (!(scripted >= 0 && real >= 0)) {
  console.error('Usage: node scripts/measure/soak.mjs [SCRIPTED TURNS, 20000] [REAL TURNS, 2000]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'llm-host-soak-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const out = join(root, 'build/soak');
mkdirSync(out, { recursive: true });
for (const name of [...(scripted > 0 ? ['chat', 'serve', 'resumed'] : []), ...(real > 0 ? ['demo'] : [])])
  rmSync(join(out, `${name}.jsonl`), { force: true });
const SCRIPTED_MAIN = join(root, 'test/e2e/scripted-main.mjs');
const POLITE = { command: process.execPath, args: [join(root, 'test/fixtures/mcp/polite.mjs'), folder] };

writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ servers: { polite: POLITE, fickle: POLITE } }));
const script = {
  module: join(root, 'scripts/measure/soak/reply.mjs'),
  contextLength: 1e6,
  charsPerToken: 1000,
};
writeFileSync(join(folder, 'script.json'), JSON.stringify(script));

const environment = name => ({
  ...process.env,
  HOME: folder,
  LLM_HOST_TRUST_MCP: '1',
  LLM_HOST_SCRIPT: join(folder, 'script.json'),
  NODE_OPTIONS: `--require ${join(root, 'scripts/measure/soak/probe.cjs')}`,
  // The demo's weights stay where the set-up put them.
  XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  LLM_HOST_PROBE: join(out, `${name}.jsonl`),
  XDG_STATE_HOME: join(folder, 'state'),
});
const options = name => ({ cwd: folder, env: environment(name) });

let stopped = false;
process.on('SIGINT', () => {
  stopped = true;
});

/** Runs turns, fewer after Ctrl+C, and says how many were done at a moment. */
async function turns(chat, count, oneTurn) {
  const marks = [];
  for (let turn = 1; turn <= count && !stopped; turn++) {
    await oneTurn(turn);
    if (turn % 10 === 0) marks.push([Date.now(), turn]);
    if (turn % 1000 === 0) console.error(`${turn} turns, ${chat.faults.length} faults`);
  }
  chat.end();
  const code = await chat.exited;
  if (code !== 0) chat.faults.push(`the program ended with ${code}`);
  return at => marks.findLast(([time]) => time <= at)?.[1] ?? 0;
}

function report(name, samples, faults, counts) {
  writeCurves(join(out, name), name, samples);
  console.log(`\n${name}: ${JSON.stringify(counts)}, ${faults.length} faults\n${table(samples)}`);
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** Ends one of the chat's servers, as a crash would. */
function killServer(parent) {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const servers = children.filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('polite.mjs'));
  const pid = servers[Math.floor(Math.random() * servers.length)];
  if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
}

async function command(chat, line) {
  chat.say(line);
  return await chat.next('notice', 'error');
}

async function scriptedTurn(chat, turn) {
  const dice = Math.random();
  if (dice < 0.005) killServer(chat.pid);
  else if (dice < 0.01) await command(chat, `/mcp restart ${dice < 0.0075 ? 'polite' : 'fickle'}`);
  const { calls, results } = chat.counts;
  const last = await chat.turn(`turn:${turn}`);
  const heard = chat.counts.results - results === 1 ? 'as heard' : 'without an answer';
  if (chat.counts.calls === calls) chat.faults.push(`turn ${turn}: no call`);
  if (last.text !== `said:${turn} ${heard}`)
    chat.faults.push(`turn ${turn} ends with ${JSON.stringify(last)}`);
  if (turn % 5 === 0) await command(chat, '/save soak.json');
  if (turn % 10 === 0) await command(chat, '/load soak.json');
  if (turn % 20 === 0) await command(chat, 'clear');
  if (turn % 2000 === 50) await resumed(chat, turn);
}

/** The conversation goes on in another program. */
async function resumed(chat, turn) {
  const other = new JsonChat(
    process.execPath,
    [SCRIPTED_MAIN, 'x', '--json', '--resume', 'soak.json'],
    options('resumed'),
  );
  const last = await other.turn(`turn:${turn}`);
  other.end();
  await other.exited;
  if (last.text !== `said:${turn} as heard`) chat.faults.push(`resumed at ${turn}: ${JSON.stringify(last)}`);
  chat.faults.push(...other.faults);
}

if (scripted > 0) {
  const serve = new ServeBeside(SCRIPTED_MAIN, options('serve'));
  await serve.ready;
  const chat = new JsonChat(process.execPath, [SCRIPTED_MAIN, 'x', '--json'], options('chat'));
  await chat.next('ready');
  const asking = serve.askUntil(
    () => stopped || chat.counts.turns >= scripted,
    () => chat.counts.turns / 2,
  );
  const turnsAt = await turns(chat, scripted, turn => scriptedTurn(chat, turn));
  await asking;
  await serve.end();
  report('chat', readSamples(join(out, 'chat.jsonl'), chat.pid, turnsAt), chat.faults, chat.counts);
  report(
    'serve',
    readSamples(join(out, 'serve.jsonl'), serve.pid, at => serve.requestsAt(at)),
    serve.faults,
    serve.counts,
  );
  const left = readdirSync('/proc').filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`polite.mjs\0${folder}`);
    } catch {
      return false; // no process, or one that has ended
    }
  });
  if (left.length > 0) {
    console.log(`processes left: ${left}`);
    process.exitCode = 1;
  }
}

if (real > 0 && !stopped) {
  const main = join(root, 'dist/cli/main.js');
  const chat = new JsonChat(
    process.execPath,
    [main, 'demo', '--json', '--max-tokens', '40'],
    // A folder without an mcp.json: the demo brings its own servers.
    { ...options('demo'), cwd: mkdtempSync(join(folder, 'demo-')) },
  );
  await chat.next('ready');
  const prompts = ['What is 17 * 23?', 'Which files are there?', 'Thank you.', 'Add 1.5 and 2.'];
  const turnsAt = await turns(chat, real, async turn => {
    await chat.turn(prompts[turn % prompts.length]);
    if (turn % 4 === 0) await command(chat, 'clear');
  });
  report('demo', readSamples(join(out, 'demo.jsonl'), chat.pid, turnsAt), chat.faults, chat.counts);
}
