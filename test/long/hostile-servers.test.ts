import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Program, processesLeft, SCRIPTED_MAIN, workplace } from '../e2e/program.ts';
import {
  addressOf,
  commandOf,
  type HostileServer,
  startHostileHttp,
  titled,
} from '../mcp/hostile/hostile-servers.ts';
import { UNCLEAN } from '../mcp/hostile/withstand.ts';

const CALL = '<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>';
/** Where nothing else runs, HOSTILE_CLOCK=1 asks for the limits of such a machine. */
const LIMITS =
  process.env.HOSTILE_CLOCK === '1' ? { endMs: 2000, megabytes: 300 } : { endMs: 6000, megabytes: 410 };
/** Gets a line for each row; those that have one are not run again, so that a run can be continued. */
const TABLE = process.env.HOSTILE_TABLE;
const done = TABLE !== undefined && existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
/** Rows of each mode to run this time. */
const ROWS = Number(process.env.HOSTILE_ROWS ?? Number.POSITIVE_INFINITY);
const rowOf = (server: HostileServer, mode: string) => `| ${server.transport}: ${server.name} | ${mode} |`;
const rowsLeft = (mode: string) =>
  [...titled('stdio'), ...titled('HTTP')]
    .filter(([, server]) => !done.includes(rowOf(server, mode)))
    .slice(0, ROWS);

/** How long each attack goes on before Ctrl+C. */
const ATTACK_MS = 500;
/** How long the program has to come to its call, or to its end without one, on a machine that does much else. */
const CALL_MS = 90_000;
const MODES = [
  { mode: '--json', args: ['x', '--json'], input: '{"type":"prompt","text":"go"}', calling: '"tool_call"' },
  { mode: '-p', args: ['x', '-p', 'go'], input: '', calling: 'Calling tool' },
];

let http: Awaited<ReturnType<typeof startHostileHttp>>;
beforeAll(async () => {
  http = await startHostileHttp();
});
afterAll(() => http.close());

const peakMegabytes = (pid: number | undefined): number => {
  const path = `/proc/${pid}/status`;
  return existsSync(path) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) / 1024 : 0;
};

/** Waits for the call. The server may also fail before it can be called, and the model have answered. */
async function called(program: Program, calling: string): Promise<void> {
  const limit = Date.now() + CALL_MS;
  while (![calling, 'after it'].some(text => `${program.stdout}${program.stderr}`.includes(text))) {
    if (Date.now() > limit || program.child.exitCode !== null) return;
    await sleep(10);
  }
}

/** The whole program with a hostile server, until Ctrl+C. */
async function attacked(entry: object, { args, input, calling }: (typeof MODES)[number]) {
  const { dir, env } = workplace({
    'config.json': JSON.stringify({
      SystemPrompt: 'You are a helpful assistant.',
      logging: { level: 'debug', file: 'log.txt' },
    }),
    'mcp.json': JSON.stringify({ servers: { hostile: { startupTimeout: 5000, ...entry } } }),
    'script.json': JSON.stringify({ replies: [CALL, 'after it'], contextLength: 1e7, charsPerToken: 1000 }),
  });
  const program = new Program(SCRIPTED_MAIN, args, {
    cwd: dir,
    env: { ...env, HOSTILE_MARK: dir, LLM_HOST_SCRIPT: join(dir, 'script.json') },
  });
  if (input === '') program.child.stdin.end();
  else program.say(input);
  await called(program, calling);
  await Promise.race([program.ended, sleep(ATTACK_MS)]);
  const megabytes = peakMegabytes(program.child.pid);
  const begun = performance.now();
  program.child.kill('SIGINT');
  const { stdout, stderr } = await program.ended;
  const endMs = performance.now() - begun;
  const log = existsSync(join(dir, 'log.txt')) ? readFileSync(join(dir, 'log.txt'), 'utf8') : '';
  return { stdout, stderr, log, endMs, megabytes, left: await processesLeft(dir) };
}

describe.each(MODES)('$mode', mode => {
  it.each(rowsLeft(mode.mode))(
    '%s: every stream is clean, and Ctrl+C ends the program',
    async (_, server) => {
      const stdio = server.transport === 'stdio';
      const entry = stdio
        ? commandOf(server, '$\u007bcwd}')
        : { url: addressOf(server, http.port), allowLocalNetwork: true };
      const { endMs, megabytes, left, ...streams } = await attacked(entry, mode);
      const unclean = Object.entries(streams).flatMap(([stream, text]) =>
        UNCLEAN.test(text) ? [stream] : [],
      );
      if (TABLE !== undefined) {
        const figures = [endMs.toFixed(0), megabytes.toFixed(0), unclean.join(' ') || 'clean', left.length];
        appendFileSync(TABLE, `${rowOf(server, mode.mode)} ${figures.join(' | ')} |\n`);
      }
      // It was let in, so that it could attack.
      expect.soft(`${streams.stdout}${streams.stderr}`).not.toContain('allowLocalNetwork');
      for (const [stream, text] of Object.entries(streams)) expect.soft(text, stream).not.toMatch(UNCLEAN);
      expect.soft(endMs, 'from Ctrl+C to the end').toBeLessThan(LIMITS.endMs);
      // The program alone holds 110 MB.
      expect.soft(megabytes, 'peak').toBeLessThan(LIMITS.megabytes);
      expect.soft(left).toEqual([]);
    },
  );
});
