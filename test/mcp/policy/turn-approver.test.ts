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
const toolNamed = (name: string): GatedTool => ({
  offered: name,
  tool: name,
  server: 'files',
  config: CONFIG,
  definition: { name },
});
const DELETE = toolNamed('delete_file');
const ARGS = { name: 'a' };

/** A turn whose user answers so; the host has nobody to ask. */
function turn(gate: CallGate, answer: ApprovalAnswer | Promise<ApprovalAnswer>, everyCall = false) {
  const asked: ApprovalRequest[] = [];
  const approver = {
    everyCall,
    ask: (request: ApprovalRequest) => {
      asked.push(request);
      return Promise.resolve(answer);
    },
  };
  const call = (tool = DELETE, config = CONFIG) =>
    gate.permit(tool, config, ARGS, undefined, approver).then(
      run => (run === ARGS ? 'made' : run),
      (error: Error) => error.message,
    );
  return { call, asked };
}

const gateOf = (policy: ToolPolicy = { askDestructive: true }) => new CallGate(policy);

describe('the user of one turn', () => {
  it('is asked about destructive calls and those of a rule; about all if wanted', async () => {
    const gate = gateOf();
    const ruled = { ...CONFIG, approval: [{ pattern: 'read_*', approval: 'ask' }] } as ServerConfig;
    const some = turn(gate, 'yes');
    expect([await some.call(), await some.call(toolNamed('read_file'))]).toEqual(['made', 'made']);
    expect(await some.call({ ...toolNamed('read_file'), config: ruled }, ruled)).toBe('made');
    expect(some.asked.map(({ reason }) => reason)).toEqual(['destructive', 'rule']);
    const all = turn(gate, 'no', true);
    expect(await all.call(toolNamed('read_file'))).toContain('declined');
    expect(all.asked).toHaveLength(1);
  });

  it('answers for that turn alone, and waits for no other', async () => {
    const gate = gateOf();
    const silent = turn(gate, new Promise(() => undefined));
    void silent.call();
    const other = turn(gate, 'conversation');
    expect(await other.call()).toBe('made');
    expect(await other.call()).toBe('made');
    expect(other.asked).toHaveLength(2);
    expect(await turn(gate, 'no').call()).toContain('declined');
    // Without anybody to ask, as before.
    expect(await gate.permit(DELETE, CONFIG, ARGS)).toBe(ARGS);
  });

  it('is not asked about what is allowed for good', async () => {
    const allowed = new AllowedTools(join(tempFolder(), 'allowed-tools.json'), () => undefined);
    const gate = new CallGate({ askDestructive: true }, allowed);
    gate.approver = () => Promise.resolve('always');
    expect(await gate.permit(DELETE, CONFIG, ARGS)).toBe(ARGS);
    const later = turn(new CallGate({ askDestructive: true }, allowed), 'no');
    expect([await later.call(), later.asked]).toEqual(['made', []]);
  });

  it('with --yes only the rules ask', async () => {
    const { call, asked } = turn(gateOf({}), 'no');
    expect([await call(), asked]).toEqual(['made', []]);
  });
});
