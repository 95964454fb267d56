import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN, Program, ROOT, workplace } from './program.ts';

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
export const EXACT = { LLM_HOST_EXACT: '1' };
const SECRET = 'a secret that only these machines know';

const STEADY = ['--temperature', '0', '--no-repetition-guard'];

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

export interface Machines {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Arguments of a chat that shares the tiny model. */
  readonly chat: readonly string[];
  /** `two (127.0.0.1:9102)` */
  readonly title: string;
  readonly control: number;
  readonly ring: readonly number[];
  /** The worker on the second machine, once it listens. */
  worker(secretFile?: string): Promise<Program>;
}

/** Two machines, both this one, with a tiny model. `second`: more of the second one's entry in the hosts file. */
export async function machines(second: Readonly<Record<string, unknown>> = {}): Promise<Machines> {
  const { dir, env } = workplace({ 'config.json': '{ "SystemPrompt": "Be brief." }' });
  const [first, other, control] = [await freePort(), await freePort(), await freePort()];
  for (const name of ['model', 'other-model']) {
    cpSync(TINY, join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, 'tokenizer.json'), TOKENIZER);
    const config = JSON.parse(readFileSync(join(TINY, 'config.json'), 'utf8'));
    // Replies as long as a test needs them.
    const long = { ...config, max_position_embeddings: 20_000, eos_token_id: undefined };
    writeFileSync(join(dir, name, 'config.json'), JSON.stringify(long));
  }
  writeFileSync(join(dir, 'secret'), SECRET, { mode: 0o600 });
  writeFileSync(join(dir, 'other-secret'), `${SECRET}!`, { mode: 0o600 });
  const hosts = [
    { name: 'one', address: `127.0.0.1:${first}` },
    { name: 'two', address: `127.0.0.1:${other}`, controlPort: control, ...second },
  ];
  writeFileSync(join(dir, 'hosts.json'), JSON.stringify({ hosts, secretFile: 'secret' }));
  const exactEnv = { ...env, ...EXACT };
  return {
    ...{ dir, env: exactEnv, control, ring: [first, other] },
    chat: [join(dir, 'model'), '--no-mcp', '--hosts', 'hosts.json', ...STEADY],
    title: `two (127.0.0.1:${control})`,
    worker: async (secretFile = 'secret') => {
      const args = ['worker', '--listen', `127.0.0.1:${control}`, '--secret-file', secretFile];
      const worker = new Program(MAIN, args, { cwd: dir, env: exactEnv });
      await worker.shows('Listening on');
      return worker;
    },
  };
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
