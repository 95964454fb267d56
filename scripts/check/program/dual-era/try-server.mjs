import { setTimeout as sleep } from 'node:timers/promises';

const { McpHost } = await import(new URL('../../../../dist/mcp/host/mcp-host.js', import.meta.url));

const LIMIT = { timeoutMs: 30_000 };
/** Longer than a turn waits for what was cancelled. */
const AT_ONCE_MS = 1500;
/** In which a server that has ended is there again. */
const RESTART_MS = 5000;
const ARGUMENTS = {
  add: { a: 5, b: 3 },
  steps: { duration: 1, steps: 3 },
  wait: { duration: 20, steps: 2 },
  task: { topic: 'tides' },
};
const ANSWERS = { name: 'Ada', color: 'red', number: 7, pets: 'cats' };

/**
 * Starts a server with `protocol: auto` and uses each of its tools.
 * @returns {Promise<Readonly<Record<string, string>>>} a cell of the table for each thing tried: `yes`, `-` if the server
 * has no such tool, or what went wrong
 */
export async function tryServer({ command, args, tools }) {
  const log = [];
  const config = { name: 'dual', transport: 'stdio', command, args, env: {}, cwd: process.cwd() };
  const host = new McpHost({ configs: [config], onLog: (_server, line) => log.push(line) });
  host.setElicitation(async ({ fields }) => ({ action: 'accept', content: answersTo(fields) }));
  const run = (tool, more = {}) =>
    host.call(tools[tool], argumentsOf(host, tools[tool], tool), { ...LIMIT, ...more });
  const cell = async (tool, work) => (tools[tool] === undefined ? '-' : oneLine(await work().catch(String)));
  try {
    const began = performance.now();
    await host.start();
    const [{ state, error, protocol = '' }] = host.servers();
    if (state !== 'ready') return { start: oneLine(error), log };
    // Some offer their tools only after the handshake.
    await sleep(1000);
    return {
      start: `${protocol || 'yes'}, ${Math.round(performance.now() - began - 1000)} ms`,
      call: await cell('add', async () => ((await run('add')).text.includes('8') ? 'yes' : 'another answer')),
      elicitation: await cell('ask', async () => askedCell(await run('ask'))),
      progress: await cell('steps', () => progressCell(run)),
      cancel: await cell('wait', () => cancelCell(run, tools)),
      task: await cell('task', () => taskCell(run)),
      log,
    };
  } finally {
    await host.close();
  }
}

/** The arguments above that the tool has. */
function argumentsOf(host, name, tool) {
  const { definition } = host.tools().find(offered => offered.tool === name) ?? {};
  const known = Object.keys(definition?.function.parameters.properties ?? {});
  return Object.fromEntries(Object.entries(ARGUMENTS[tool] ?? {}).filter(([key]) => known.includes(key)));
}

function answersTo(fields) {
  const wanted = fields.filter(({ required, name }) => required || name in ANSWERS);
  return Object.fromEntries(wanted.map(({ name }) => [name, ANSWERS[name] ?? 'Ada']));
}

function askedCell({ text, isError }) {
  return !isError && /Ada|red|cats|accept|provided/.test(text) ? 'yes' : text;
}

async function progressCell(run) {
  let seen = 0;
  const { isError, text } = await run('steps', { onProgress: () => seen++ });
  return isError ? text : seen > 0 ? `yes, ${seen} seen` : 'none seen';
}

/** Cancelled at once on this side, and by the server where it can tell; and the server goes on. */
async function cancelCell(run, tools) {
  const controller = new AbortController();
  const waiting = run('wait', { signal: controller.signal }).catch(error => error.code);
  await sleep(500);
  const began = performance.now();
  controller.abort();
  if ((await waiting) !== 'CANCELLED') return 'not cancelled';
  try {
    await run('add');
  } catch (error) {
    // A server of version 1.2 ends when it hears of a cancellation.
    await sleep(RESTART_MS);
    await run('add');
    return `yes, but ${oneLine(error.message).replace(/ during.*/, '')}; restarted`;
  }
  if (performance.now() - began > AT_ONCE_MS) return 'slow';
  if (tools.cancelled === undefined) return 'yes';
  await sleep(200);
  return (await run('cancelled')).text.includes('yes') ? 'yes, work stopped' : 'yes, work goes on';
}

async function taskCell(run) {
  const news = [];
  const { text, isError } = await run('task', { onProgress: progress => news.push(progress) });
  return isError ? text : `yes, ${news.length} news`;
}

function oneLine(text) {
  return String(text).replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, 140);
}
