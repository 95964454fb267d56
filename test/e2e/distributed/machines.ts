import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, type TestContext } from 'vitest';
import { MAIN, Program, ROOT, workplace } from '../program.ts';
import type { Cable } from './cable.ts';

/** One token a letter. */
const TOKENIZER = JSON.stringify({
  added_tokens: [],
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(Array.from({ length: 96 }, (_, id) => [String.fromCharCode(32 + id), id])),
    merges: [],
    unk_token: ' ',
  },
});
const TINY = join(ROOT, 'test/fixtures/families/llama/plain');
/** What one process and several say alike. */
const EXACT = { LLM_HOST_EXACT: '1' };
const SECRET = 'a secret that only these machines know';

const STEADY = ['--temperature', '0', '--no-repetition-guard'];

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** One that runs a worker. */
interface Other {
  /** `two (127.0.0.1:9102)` */
  readonly title: string;
  readonly control: number;
  /** Its worker, once it listens. `main`: another program's. */
  worker(options?: { readonly secretFile?: string; readonly main?: string }): Promise<Program>;
}

export interface Machines extends Other {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Arguments of a chat that shares the tiny model. */
  readonly chat: readonly string[];
  readonly ring: readonly number[];
  /** The third and later ones. */
  readonly more: readonly Other[];
}

/** In networks of their own: the addresses, and what programs are started under there. */
export type Apart = Pick<Cable, 'addresses' | 'on'>;
const HERE: Apart = { addresses: ['127.0.0.1', '127.0.0.1'], on: [[], []] };
const NAMES = ['two', 'three', 'four'];

/**
 * Two machines, both this one, with a tiny model.
 * @param second more of the second one's entry in the hosts file
 * @param count of machines; more than two cannot compute: the tiny model has two KV heads
 */
export async function machines(
  second: Readonly<Record<string, unknown>> = {},
  { addresses: [here, there], on }: Apart = HERE,
  count = 2,
): Promise<Machines> {
  const { dir, env } = workplace({ 'config.json': '{ "SystemPrompt": "Be brief." }' });
  for (const name of ['model', 'other-model']) writeModel(join(dir, name));
  writeFileSync(join(dir, 'secret'), SECRET, { mode: 0o600 });
  writeFileSync(join(dir, 'other-secret'), `${SECRET}!`, { mode: 0o600 });
  const exactEnv = { ...env, ...EXACT };
  const first = await freePort();
  const hosts: Record<string, unknown>[] = [{ name: 'one', address: `${here}:${first}` }];
  const ring = [first];
  const others: Other[] = [];
  for (const name of NAMES.slice(0, count - 1)) {
    const [port, control] = [await freePort(), await freePort()];
    ring.push(port);
    const own = others.length === 0 ? second : {};
    hosts.push({ name, address: `${there}:${port}`, controlPort: control, ...own });
    others.push({
      title: `${name} (${there}:${control})`,
      control,
      worker: async ({ secretFile = 'secret', main = MAIN } = {}) => {
        const args = ['worker', '--listen', `${there}:${control}`, '--secret-file', secretFile];
        const worker = new Program(main, args, { cwd: dir, env: exactEnv, under: on[1] });
        await worker.shows('Listening on');
        return worker;
      },
    });
  }
  writeFileSync(join(dir, 'hosts.json'), JSON.stringify({ hosts, secretFile: 'secret' }));
  const [two, ...more] = others as [Other, ...Other[]];
  const chat = [join(dir, 'model'), '--no-mcp', '--hosts', 'hosts.json', ...STEADY];
  return { ...two, dir, env: exactEnv, ring, chat, more };
}

function writeModel(folder: string): void {
  cpSync(TINY, folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), TOKENIZER);
  const config = JSON.parse(readFileSync(join(TINY, 'config.json'), 'utf8'));
  // Replies as long as a test needs them.
  const long = { ...config, max_position_embeddings: 20_000, eos_token_id: undefined };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(long));
}

/** The same program with another version. -> its main file */
export function otherVersion(dir: string, version: string): string {
  const folder = join(dir, 'other-version');
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const name of ['build', 'models', 'node_modules', 'vendor'])
    symlinkSync(join(ROOT, name), join(folder, name));
  const description = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...description, version }));
  return join(folder, 'dist', 'cli', 'main.js');
}

/** The time in which a fault has been reported. */
const TOLD_MS = 10_000;

/** The fault of then has been told in time. How fast shows with vitest's `--reporter=verbose`. */
export async function toldInTime(
  began: number,
  { annotate }: Pick<TestContext, 'annotate'>,
  limitMs = TOLD_MS,
) {
  const ms = Date.now() - began;
  expect(ms).toBeLessThan(limitMs);
  await annotate(`told after ${(ms / 1000).toFixed(1)} s`);
}

/** The fault of then is told in a chat's events, by the machine's name; the chat goes on here without it. */
export async function tellsAndGoesOn(
  chat: Program,
  { title }: Machines,
  { began, says }: { began: number; says: RegExp },
  context: Pick<TestContext, 'annotate'>,
): Promise<void> {
  await chat.shows('"type":"error"');
  await toldInTime(began, context);
  expect(chat.stdout).toContain(title);
  expect(chat.stdout).toMatch(says);
  const before = chat.stdout.length;
  chat.say('Hello again');
  // Less than a test has, so that a failure shows what was said instead.
  await expect.poll(() => chat.stdout.slice(before), { timeout: 30_000 }).toContain('"token"');
}

/** A program named `ssh` that runs what it is asked to on this machine, and says of what. */
export function fakeSsh(dir: string): string {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
echo "$@" >> ${join(dir, 'ssh.log')}
while [ "$1" != "\${1#-}" ]; do case "$1" in -o) shift 2 ;; *) shift ;; esac; done
shift
exec "$@"
`;
  writeFileSync(join(bin, 'ssh'), script, { mode: 0o755 });
  writeFileSync(join(bin, 'llm-host'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(bin, 'node'));
  return bin;
}

/** Processes that compute for programs which use this worker. */
export function ranksOf({ child: { pid } }: Program): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

const RANK_PROCESS = 'rank-process.js';

/** The first one, once it is there: until then it is a copy of the worker. */
export async function rankOf(worker: Program, limitMs = 30_000): Promise<number> {
  for (const limit = Date.now() + limitMs; Date.now() < limit; await sleep(5)) {
    const [rank] = ranksOf(worker);
    if (rank !== undefined && readFileSync(`/proc/${rank}/cmdline`, 'utf8').includes(RANK_PROCESS))
      return rank;
  }
  throw new Error(`no process computes for ${worker.child.spawnargs.join(' ')}`);
}
