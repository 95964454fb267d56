import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '../../../src/mcp/config/types.ts';
import { AllowedTools } from '../../../src/mcp/policy/allowed-tools.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../src/mcp/policy/approval.ts';
import { CallGate, type GatedTool } from '../../../src/mcp/policy/gate.ts';
import type { ToolPolicy } from '../../../src/mcp/policy/policy.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const CONFIG: ServerConfig = {
  name: 'files',
  transport: 'stdio',
  command: 'node',
  args: ['x'],
  env: {},
  cwd: '/',
};
const PARAMETERS = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const DELETE: GatedTool = {
  offered: 'delete_file',
  tool: 'delete_file',
  server: 'files',
  config: CONFIG,
  parameters: PARAMETERS,
  definition: { name: 'delete_file', description: 'Deletes.' },
};

/** A user with these answers; `runs` are the same user's program started again. */
function user(path: string, policy: ToolPolicy = { askDestructive: true }) {
  const warnings: string[] = [];
  const asked: ApprovalRequest[] = [];
  const run = () => {
    const gate = new CallGate(policy, new AllowedTools(path, line => warnings.push(line)));
    const answers: ApprovalAnswer[] = [];
    gate.approver = request => {
      asked.push(request);
      return Promise.resolve(answers.shift() ?? 'no');
    };
    const call = (answer?: ApprovalAnswer, tool: GatedTool = DELETE) => {
      if (answer !== undefined) answers.push(answer);
      const args = { name: 'a' };
      return gate.permit(tool, tool.config as ServerConfig, args).then(
        permitted => (permitted === args ? 'made' : permitted),
        (error: Error) => error.message,
      );
    };
    return { gate, call };
  };
  return { run, asked, warnings };
}

const file = () => join(tempFolder(), 'deep', 'allowed-tools.json');
const DECLINED = "The user declined the call of 'delete_file'";

describe('a destructive call', () => {
  it('is asked about, with the reason and the file that keeps always', async () => {
    const path = file();
    const { run, asked } = user(path);
    expect(await run().call('no')).toBe(DECLINED);
    expect(asked[0]).toMatchObject({ reason: 'destructive', savedIn: path });
  });

  it('runs unasked where nobody can be asked, by an explicit rule, or without the policy', async () => {
    const { run } = user(file());
    const { gate, call } = run();
    gate.approver = undefined;
    expect(await call()).toBe('made');
    const ruled = {
      ...DELETE,
      config: { ...CONFIG, approval: [{ pattern: '*', approval: 'auto' }] },
    } as const;
    expect(await run().call(undefined, ruled)).toBe('made');
    expect(await user(file(), {}).run().call()).toBe('made');
    expect(await user(file(), { askDestructive: true, approval: 'auto' }).run().call()).toBe('made');
  });

  it('once is once; the conversation lasts until it ends', async () => {
    const { call, gate } = user(file()).run();
    expect([await call('yes'), await call('no')]).toEqual(['made', DECLINED]);
    expect([await call('conversation'), await call()]).toEqual(['made', 'made']);
    gate.approvals.endConversation();
    expect(await call('no')).toBe(DECLINED);
  });
});

describe('always', () => {
  it('holds in later runs, in a file that only its owner can read, and is taken back', async () => {
    const path = file();
    const { run, asked } = user(path);
    expect(await run().call('always')).toBe('made');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const later = run();
    expect([await later.call(), asked.length]).toEqual(['made', 1]);
    expect(later.gate.approvals.takeBack('delete_file')).toBe(true);
    expect(later.gate.approvals.takeBack('delete_file')).toBe(false);
    expect(await later.call('no')).toBe(DECLINED);
    expect(await run().call('no')).toBe(DECLINED);
  });

  it.each([
    ['another definition', { ...DELETE, definition: { name: 'delete_file', description: 'Deletes all.' } }],
    ['another command line', { ...DELETE, config: { ...CONFIG, args: ['y'] } as ServerConfig }],
    ['another server', { ...DELETE, server: 'other' }],
  ])('%s asks again, in this run and in the next', async (_name, changed) => {
    const { run } = user(file());
    const first = run();
    await first.call('always');
    expect(await first.call('no', changed)).toBe(DECLINED);
    expect(await run().call('no', changed)).toBe(DECLINED);
    expect(await run().call()).toBe('made');
  });

  it('of an earlier run does not answer --ask', async () => {
    const path = file();
    await user(path).run().call('always');
    const { call } = user(path, { askAll: true, askDestructive: true }).run();
    expect([await call('no'), await call('always'), await call()]).toEqual([DECLINED, 'made', 'made']);
  });

  it.each([
    ['damaged', (path: string) => writeFileSync(path, '{')],
    ['of another version', (path: string) => writeFileSync(path, '{"version":2,"allowed":[]}')],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'writable by others',
      (path: string) => {
        writeFileSync(path, '{"version":1,"allowed":[]}');
        chmodSync(path, 0o666);
      },
    ],
  ])('a file that is %s counts as empty, with a warning', async (_name, make) => {
    const path = join(tempFolder(), 'allowed-tools.json');
    make(path);
    const { run, warnings } = user(path);
    expect(await run().call('no')).toBe(DECLINED);
    expect(warnings[0]).toContain(path);
  });

  it('a file that cannot be written holds for this run, with a warning', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'config'), '');
    const { run, warnings } = user(join(folder, 'config', 'allowed-tools.json'));
    const { call } = run();
    expect([await call('always'), await call()]).toEqual(['made', 'made']);
    expect(warnings.join()).toContain('cannot be saved');
  });

  it('junk in the list is passed over', async () => {
    const path = join(tempFolder(), 'allowed-tools.json');
    writeFileSync(path, '{"version":1,"allowed":[null,7,{"server":"files","tool":"delete_file"}]}', {
      mode: 0o600,
    });
    const { run } = user(path);
    expect(await run().call('always')).toBe('made');
    expect(JSON.parse(readFileSync(path, 'utf8')).allowed).toHaveLength(1);
  });
});

describe('edited arguments', () => {
  it('run in place of the call, if they fit the schema', async () => {
    const { run, asked } = user(file());
    expect(await run().call({ arguments: { name: 'b' } })).toEqual({ name: 'b' });
    expect(await run().call({ arguments: { name: 7 } })).toContain('do not fit: $.name');
    const problem = asked[0]?.problem as (args: unknown) => string | undefined;
    expect(problem({ name: 'c' })).toBeUndefined();
    expect(problem([])).toBe('the arguments must be a JSON object');
    expect(problem({})).toContain('name');
  });
});
