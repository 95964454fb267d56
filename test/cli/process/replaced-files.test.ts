import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { metricsFile } from '../../../src/agent/calls/metrics.ts';
import { styleFile } from '../../../src/agent/model/prompt-style-choice.ts';
import { exportTo } from '../../../src/cli/builtins/sessions/export.ts';
import { apiKeyOf } from '../../../src/cli/options/api-key.ts';
import { systemText } from '../../../src/cli/options/system-text.ts';
import { readSession, writeSession } from '../../../src/cli/session/saved-sessions.ts';
import { withFileLock } from '../../../src/hub/file-lock.ts';
import { hubEnvironment } from '../../../src/hub/hub-environment.ts';
import { RepoFolder } from '../../../src/hub/repo-folder.ts';
import { missingFiles } from '../../../src/hub/snapshot-state.ts';
import { OAuthStore } from '../../../src/mcp/oauth/store.ts';
import { AuditLog } from '../../../src/mcp/policy/audit.ts';
import { openLog } from '../../../src/run/log.ts';
import { PromptHistory } from '../../../src/tui/input/prompt-history.ts';
import { tempFolder } from '../../model/temp-folder.ts';

/** What may stand where the program expects a file of its own. Each would make it wait or read without end. */
const THINGS: Readonly<Record<string, (path: string) => void>> = {
  'a pipe that nobody uses': path => void execFileSync('mkfifo', [path]),
  'a link to a device without end': path => symlinkSync('/dev/zero', path),
  'a link to itself': path => symlinkSync(path, path),
  'a folder': path => mkdirSync(path),
};
const SESSION = { version: 1, model: 'x', created: '', updated: '', messages: [] } as const;
const CALL = { time: '', server: 's', tool: 't', arguments: {}, outcome: 'ok', durationMs: 1 } as const;

/** Uses the file at a path; returns what went wrong, or what was read. */
type Use = (path: string) => unknown;

const problems = (use: (tell: (problem: string) => void) => unknown): string[] => {
  const told: string[] = [];
  use(problem => told.push(problem));
  return told;
};
const thrown = (use: () => unknown): string => {
  try {
    return `no error: ${JSON.stringify(use())}`;
  } catch (error) {
    return (error as Error).message;
  }
};

const USES: Readonly<Record<string, { name?: string; use: Use; expected: unknown }>> = {
  'prompts of earlier runs': {
    use: path => problems(tell => new PromptHistory(path, tell).entries),
    expected: [expect.stringContaining('prompts are not kept in')],
  },
  'the style that worked': {
    use: path => [styleFile(path, () => undefined).recall('m') ?? 'none'],
    expected: ['none'],
  },
  'a login': {
    use: path => new OAuthStore(dirname(path)).load('http://x'),
    // Named by a hash of the address.
    name: '037ab55168fe8769f2a4c041c2ea5d8b.json',
    expected: { serverUrl: 'http://x' },
  },
  'a saved session': {
    use: path => thrown(() => readSession(path)),
    expected: expect.stringMatching(/is not a file|cannot be read/),
  },
  'a session to save': {
    use: path => thrown(() => writeSession(path, { ...SESSION, messages: [] })),
    expected: expect.stringContaining('cannot be saved to'),
  },
  'a revision of a model': {
    name: 'models--a--b/refs/main',
    use: path => new RepoFolder(join(dirname(path), '../..'), 'a/b').readRef('main') ?? 'unknown',
    expected: 'unknown',
  },
  'the index of a snapshot': {
    name: 'model.safetensors.index.json',
    use: path => missingFiles(dirname(path)),
    expected: expect.arrayContaining(['config.json']),
  },
  "the Hub's token": {
    name: 'token',
    use: path => thrown(() => hubEnvironment({ HF_HOME: dirname(path) }).token?.value),
    expected: expect.stringMatching(/the token file .* cannot be read/),
  },
};

test.each(Object.entries(THINGS))('in the place of a file that is read: %s', (_, put) => {
  for (const [what, { name = 'file', use, expected }] of Object.entries(USES)) {
    const path = placeOf(name);
    put(path);
    expect.soft(use(path), what).toEqual(expected);
    // It is still there: nothing of the user's was replaced.
    expect.soft(lstatSync(path).isFile(), what).toBe(false);
    expect.soft(readdirSync(dirname(path)), what).toHaveLength(1);
  }
});

test.each(Object.entries(THINGS).filter(([name]) => !name.includes('device')))(
  'in the place of a file that is written: %s',
  async (_, put) => {
    const at = (use: Use) => {
      const path = placeOf('file');
      put(path);
      return use(path);
    };
    const told = (use: (path: string, tell: (problem: string) => void) => unknown) =>
      at(path => problems(tell => use(path, tell)));
    expect.soft(told((path, tell) => new PromptHistory(path, tell).add('x'))).toHaveLength(1);
    expect.soft(told((path, tell) => new AuditLog(path, tell).append(CALL))).toHaveLength(1);
    expect.soft(told((path, tell) => metricsFile(path, tell)({} as never))).toHaveLength(1);
    expect.soft(told((path, tell) => openLog(path, 'info', tell).logger.info('x'))).toHaveLength(1);
    const session = { snapshot: () => SESSION } as never;
    expect
      .soft(at(path => thrown(() => exportTo.run(session, `markdown ${path}`, {} as never))))
      .toMatch(/cannot be written/);
    const lock = placeOf('lock');
    put(lock);
    await expect
      .soft(withFileLock(lock, { signal: AbortSignal.timeout(2000) }, async () => 1))
      .rejects.toThrow();
  },
);

test.each(['a link to a device without end', 'a link to itself', 'a folder'])(
  'named by the user: %s',
  thing => {
    const path = placeOf('file');
    THINGS[thing]?.(path);
    for (const read of [() => systemText(`@${path}`, '/'), () => apiKeyOf(`@${path}`, {})])
      expect(thrown(read)).toMatch(/cannot be read/);
  },
);

/** A path in a folder of its own. */
function placeOf(name: string): string {
  const path = join(tempFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  return path;
}
