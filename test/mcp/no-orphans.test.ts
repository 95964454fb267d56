import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ServerConfig } from '../../src/mcp/config/config.ts';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import {
  behindShell,
  compileSources,
  eventually,
  FIXTURES,
  fixture,
  processesWith,
} from '../fixtures/mcp/support.ts';

let compiled = '';
let scratch = '';
const children: ChildProcess[] = [];
const marks: string[] = [];

beforeAll(() => {
  compiled = compileSources('mcp/host/mcp-host.ts');
  scratch = mkdtempSync(join(tmpdir(), 'llm-host-orphans-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  // A failed test must not leave what it complains about.
  for (const pid of marks.splice(0).flatMap(processesOf)) process.kill(pid, 'SIGKILL');
});
afterAll(() => {
  rmSync(compiled, { recursive: true, force: true });
  rmSync(scratch, { recursive: true, force: true });
});

/** Servers of every kind of stubbornness, all marked with one word on their command lines. */
function nastyServers(mark: string): ServerConfig[] {
  marks.push(mark);
  const note = join(scratch, mark);
  return [
    { ...fixture('polite', [mark]), name: 'plain' },
    { ...behindShell(fixture('polite', [mark])), name: 'wrapped' },
    { ...fixture('raw', ['stubborn', mark]), name: 'stubborn' },
    { ...behindShell(fixture('raw', ['stubborn', mark])), name: 'wrapped-stubborn' },
    { ...fixture('raw', ['grandchild', note]), name: 'grandchild' },
    { ...fixture('raw', ['daemon', mark]), name: 'daemon' },
  ];
}

/** All processes of the servers above, the marked ones and the grandchild that hides its mark. */
function processesOf(mark: string): number[] {
  const note = join(scratch, mark);
  const hidden = existsSync(note) ? Number(readFileSync(note, 'utf8')) : undefined;
  const lives = hidden !== undefined && isAlive(hidden);
  return [...processesWith(mark), ...(lives ? [hidden] : [])];
}

function isAlive(pid: number): boolean {
  if (process.platform === 'linux') {
    try {
      return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A host in its own process, its servers up. */
async function runningHost(mark: string, ending: string): Promise<ChildProcess> {
  const configs = JSON.stringify(nastyServers(mark));
  const args = [join(FIXTURES, 'host.mjs'), join(compiled, 'mcp', 'host', 'mcp-host.js'), configs, ending];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', ending === 'throw' ? 'ignore' : 'inherit'],
  });
  children.push(child);
  const line = await new Promise<string>(resolve =>
    child.stdout?.once('data', data => resolve(String(data))),
  );
  const states = (JSON.parse(line) as { name: string; state: string }[]).map(
    ({ name, state }) => `${name} ${state}`,
  );
  expect(states).toEqual(nastyServers(mark).map(({ name }) => `${name} ready`));
  return child;
}

async function expectNothingLeft(mark: string, host: ChildProcess): Promise<void> {
  await eventually(() => host.exitCode !== null || host.signalCode !== null, 'the host has ended');
  await eventually(() => processesOf(mark).length === 0, 'all processes of the servers are gone');
}

describe('no process of a server remains', () => {
  it('after close, even of stubborn and wrapped servers, in under 2 s', async () => {
    const mark = randomUUID();
    const host = new McpHost({ configs: nastyServers(mark) });
    await host.start();
    expect(host.servers().map(server => server.state)).toEqual(Array(6).fill('ready'));
    expect(processesOf(mark).length).toBeGreaterThanOrEqual(8);
    // As a timer of this process counts: on a busy machine it counts fewer.
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 10);
    await Promise.all([host.close(), host.close()]);
    clearInterval(timer);
    expect(ticks * 10).toBeLessThan(2000);
    expect(processesOf(mark)).toEqual([]);
    await host.close();
  });

  it('when the host closes its servers and ends by itself', async () => {
    const mark = randomUUID();
    await expectNothingLeft(mark, await runningHost(mark, 'close'));
  });

  it.each(['exit', 'throw'])('when the host ends without closing them: %s', async ending => {
    const mark = randomUUID();
    await expectNothingLeft(mark, await runningHost(mark, ending));
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('when the host gets %s', async signal => {
    const mark = randomUUID();
    const host = await runningHost(mark, 'stay');
    expect(processesOf(mark).length).toBeGreaterThanOrEqual(8);
    host.kill(signal);
    await expectNothingLeft(mark, host);
  });

  it.runIf(process.platform === 'linux')(
    'though someone killed the guardian, nor does it stay itself',
    async () => {
      const mark = randomUUID();
      const host = await runningHost(mark, 'stay');
      const guardians = (): number[] =>
        processesWith('llm-host-guardian').filter(pid => parentOf(pid) === host.pid);
      const [first, ...more] = guardians() as [number, ...number[]];
      expect(more).toEqual([]);
      // One that dies within its first second is not replaced.
      await sleep(1200);
      process.kill(first, 'SIGKILL');
      await eventually(() => guardians().some(pid => pid !== first), 'another guardian takes over');
      const watched = guardians();
      // Time for it to have been told of the groups.
      await sleep(200);
      host.kill('SIGKILL');
      await expectNothingLeft(mark, host);
      await eventually(() => !watched.some(isAlive), 'the guardian has ended');
    },
  );
});

function parentOf(pid: number): number {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[1],
    );
  } catch {
    return 0;
  }
}
