// The start of 31 servers: those of test/fixtures/crowd, each as a small process of its own on stdio, one of them slow. Seconds until
// the prompt is there and until all tools are, and the host's memory then. Needs dist/ (npm run build); Linux only.
//   node scripts/measure/mcp/start.mjs [SECONDS OF THE SLOW ONE, 8] [RUNS, 3]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(root, 'test/e2e/scripted-main.mjs');
const SERVER = join(root, 'test/fixtures/mcp/small.mjs');
const RECORDED = join(root, 'test/fixtures/crowd/tools.json');
const LIMIT_MS = 300_000;
const [slow = 8, runs = 3] = process.argv.slice(2).map(Number);
if (!(slow >= 0 && runs >= 1)) {
  console.error('Usage: node scripts/measure/mcp/start.mjs [SECONDS OF THE SLOW ONE, 8] [RUNS, 3]');
  process.exit(2);
}
const names = JSON.parse(readFileSync(RECORDED, 'utf8')).map(({ server }) => server.name);
const SLOW = names[Math.floor(names.length / 2)];
const entry = name => ({
  command: process.execPath,
  args: [SERVER, name, RECORDED, String(name === SLOW ? slow * 1000 : 0)],
});

/** Seconds until the prompt and until all servers are up, megabytes of the host then. */
function start(servers) {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-start-'));
  const list = Object.fromEntries(servers.map(name => [name, entry(name)]));
  writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ servers: list }));
  writeFileSync(join(folder, 'script.json'), '{ "replies": [] }');
  const { PATH } = process.env;
  const env = { PATH, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8', LLM_HOST_TRUST_MCP: '1' };
  const own = { ...env, LLM_HOST_SCRIPT: join(folder, 'script.json') };
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1000;
  return new Promise((resolve, reject) => {
    const pty = spawn(process.execPath, [MAIN, 'x'], { cols: 200, rows: 40, cwd: folder, env: own });
    let [text, prompt, ready] = ['', undefined, undefined];
    const timer = setTimeout(() => {
      pty.kill('SIGKILL');
      reject(new Error(`not all servers came up:\n${text}`));
    }, LIMIT_MS);
    pty.onData(data => {
      text += data;
      if (prompt === undefined && text.includes('\u001b[?2004h')) prompt = since();
      if (ready !== undefined || !text.includes(`${servers.length}/${servers.length} servers`)) return;
      const status = readFileSync(`/proc/${pty.pid}/status`, 'utf8');
      ready = { all: since(), megabytes: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024) };
      pty.write('\u0003');
    });
    pty.onExit(() => {
      clearTimeout(timer);
      rmSync(folder, { recursive: true, force: true });
      if (ready === undefined) reject(new Error(`ended:\n${text}`));
      else resolve({ prompt, ...ready });
    });
  });
}

for (let run = 1; run <= runs; run++) {
  const none = await start(names.slice(0, 1));
  const alone = await start([SLOW]);
  const all = await start(names);
  const limit = 1.3 * alone.all + 3;
  console.log(
    `run ${run}: one quick server: prompt ${none.prompt.toFixed(1)} s. The slow one alone: prompt ${alone.prompt.toFixed(1)} s, all ` +
      `tools ${alone.all.toFixed(1)} s. ${names.length} servers: prompt ${all.prompt.toFixed(1)} s, all tools ${all.all.toFixed(1)} s ` +
      `(1.3 times the slow one alone and 3 s: ${limit.toFixed(1)} s), host ${all.megabytes} MB`,
  );
}
