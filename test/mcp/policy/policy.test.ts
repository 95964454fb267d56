import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ServerSettings } from '../../../src/mcp/config/types.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../src/mcp/policy/approval.ts';
import { CallGate } from '../../../src/mcp/policy/gate.ts';
import { PolicyCheck, type ToolPolicy } from '../../../src/mcp/policy/policy.ts';
import { matchesGlob } from '../../../src/text/files/glob.ts';

const FILES: ServerSettings = { name: 'files' };
const tool = (name: string, offered = name) => ({ offered, tool: name, server: 'files' });
const offers = (policy: ToolPolicy, name: string, settings: Partial<ServerSettings> = {}) =>
  new PolicyCheck(policy).offers(tool(name), { ...FILES, ...settings });

describe('patterns', () => {
  it.each([
    ['*', '', true],
    ['read_*', 'read_file', true],
    ['read_*', 'unread_file', false],
    ['*_file', 'read_file', true],
    ['?ead', 'read', true],
    ['?ead', 'ead', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYc!', false],
    ['read.file', 'readXfile', false],
    ['[a]', 'a', false],
    ['**', 'anything', true],
    ['', '', true],
    ['', 'a', false],
  ])('%s on %s: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it('take no exponential time', () => {
    expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false);
  });
});

describe('which tools are offered', () => {
  it.each([
    [{}, 'read_file', true],
    [{ blocked: ['delete_*'] }, 'delete_file', false],
    [{ blocked: ['delete_*'] }, 'read_file', true],
    [{ blocked: ['delete_*'] }, 'Delete_File', false],
    [{ blocked: ['DELETE_*'] }, 'delete_file', false],
    [{ blocked: ['delete_*'] }, 'ｄelete_file', false],
    [{ blocked: ['files__*'] }, 'read_file', false],
    [{ blocked: ['files/read_file'] }, 'read_file', false],
    [{ blocked: ['other/*'] }, 'read_file', true],
    [{ allowed: ['read_*'] }, 'read_file', true],
    [{ allowed: ['read_*'] }, 'Read_file', false],
    [{ allowed: [] }, 'read_file', false],
    [{ allowed: ['*'], blocked: ['*'] }, 'read_file', false],
    [{ allowed: ['*_file'], selected: ['read*'] }, 'read_file', true],
    [{ allowed: ['*_file'], selected: ['read*'] }, 'write_file', false],
    [{ allowed: ['__proto__'] }, 'toString', false],
    [{ approval: 'never' }, 'read_file', false],
  ] as const)('%j: %s %s', (policy, name, expected) => {
    expect(offers(policy, name)).toBe(expected);
  });

  it('the lists of the entry count too, deny before allow', () => {
    // Two patterns: each denies by itself.
    const settings = { allow: ['read_*'], deny: ['read_secret', 'read_keys'] };
    expect(
      ['read_file', 'read_secret', 'READ_SECRET', 'write_file'].map(name => offers({}, name, settings)),
    ).toEqual([true, false, false, false]);
    expect(offers({ allowed: ['write_file'] }, 'write_file', settings)).toBe(false);
    expect(offers({}, 'x', { approval: [{ pattern: 'x', approval: 'never' }] })).toBe(false);
  });

  it.each([
    ['never', 'Delete_File', 'never'],
    ['ask', 'ｄelete_file', 'ask'],
    ['auto', 'Delete_File', 'never'],
    ['auto', 'delete_file', 'auto'],
  ] as const)('a rule of %s and a tool spelt %s', (approval, name, expected) => {
    const settings = { ...FILES, approval: [{ pattern: 'delete_*', approval }] };
    expect(new PolicyCheck({ approval: 'never' }).approvalOf(tool(name), settings)).toBe(expected);
  });
});

describe('calls per minute', () => {
  it('are counted in a window that moves', () => {
    let now = 0;
    const check = new PolicyCheck({ ratePerMinute: 2 }, () => now);
    const tryCall = () => {
      try {
        check.count();
        return 'made';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(tryCall()).toBe('made');
    now = 30_000;
    expect(tryCall()).toBe('made');
    now = 50_000;
    expect(tryCall()).toContain(
      'The limit of 2 tool calls per minute is reached; the next call is possible in 10 s',
    );
    now = 60_000;
    expect(tryCall()).toBe('made');
    expect(tryCall()).toContain('possible in 30 s');
  });

  it('have no limit unless one is set', () => {
    const check = new PolicyCheck({});
    for (let call = 0; call < 10_000; call++) check.count();
  });
});

describe('approval', () => {
  const never = new AbortController().signal;

  /** A gate whose user gives these answers, and what the user was asked. */
  function gate(policy: ToolPolicy, answers: (ApprovalAnswer | Promise<ApprovalAnswer>)[]) {
    const asked: ApprovalRequest[] = [];
    const made = new CallGate(policy);
    made.approver = request => {
      asked.push(request);
      return Promise.resolve(answers.shift() ?? 'no');
    };
    const permit = (name: string, settings: Partial<ServerSettings> = {}, signal = never) =>
      made.permit(tool(name), { ...FILES, ...settings }, { path: 'x' }, signal).then(
        () => 'made',
        error => `${error.code}: ${error.message}`,
      );
    return { made, asked, permit };
  }

  it('is not needed by default', async () => {
    const { asked, permit } = gate({}, []);
    expect([await permit('a'), asked]).toEqual(['made', []]);
  });

  it('is asked for with the whole call; no is told to the model', async () => {
    const { asked, permit } = gate({ approval: 'ask' }, ['yes', 'no']);
    expect(await permit('a')).toBe('made');
    expect(await permit('a')).toBe("TOOL_REFUSED: The user declined the call of 'a'");
    expect(asked[0]).toMatchObject({ offered: 'a', tool: 'a', server: 'files', arguments: { path: 'x' } });
  });

  it('always holds for this tool of this server only', async () => {
    const { asked, permit } = gate({ askAll: true }, ['always', 'no', 'no']);
    expect([await permit('a'), await permit('a')]).toEqual(['made', 'made']);
    expect(await permit('b')).toContain('declined');
    expect(asked.map(request => request.tool)).toEqual(['a', 'b']);
  });

  it('by tool: the first pattern decides, and --ask never makes a question go away', async () => {
    const approval = [
      { pattern: 'read_*', approval: 'auto' },
      { pattern: '*', approval: 'ask' },
    ] as const;
    const entry = { approval: [...approval] };
    const plain = gate({}, []);
    expect([await plain.permit('read_file', entry), plain.asked.length]).toEqual(['made', 0]);
    expect(await plain.permit('delete_file', entry)).toContain('declined');
    const asking = gate({ askAll: true }, []);
    expect(await asking.permit('read_file', entry)).toContain('declined');
  });

  it('without anybody to ask is a refusal', async () => {
    const { made, permit } = gate({ askAll: true }, []);
    made.approver = undefined;
    expect(await permit('a')).toBe(
      "TOOL_REFUSED: The tool 'a' needs the user's approval, and nobody can be asked",
    );
  });

  it('is asked one call at a time, and a cancelled turn ends the question', async () => {
    let answer: (value: ApprovalAnswer) => void = () => {};
    const open = new Promise<ApprovalAnswer>(resolve => {
      answer = resolve;
    });
    const { asked, permit } = gate({ askAll: true }, [open, 'yes', new Promise(() => {})]);
    const calls = Promise.all([permit('a'), permit('b')]);
    await Promise.resolve();
    await Promise.resolve();
    expect(asked.map(request => request.tool)).toEqual(['a']);
    answer('yes');
    expect(await calls).toEqual(['made', 'made']);
    const abort = new AbortController();
    const waiting = permit('c', {}, abort.signal);
    abort.abort();
    expect(await waiting).toBe("CANCELLED: Tool 'c' was cancelled");
    expect(await permit('d', {}, abort.signal)).toBe("CANCELLED: Tool 'd' was cancelled");
  });

  it('is not asked about a call that was cancelled while another question was open, and nobody waits for that', async () => {
    let answer: (value: ApprovalAnswer) => void = () => {};
    const open = new Promise<ApprovalAnswer>(resolve => {
      answer = resolve;
    });
    const { asked, permit } = gate({ askAll: true }, [open, 'yes']);
    const first = permit('a');
    const abort = new AbortController();
    const second = permit('b', {}, abort.signal);
    const third = permit('c');
    abort.abort();
    expect(await Promise.race([second, sleep(500, 'still waiting')])).toBe(
      "CANCELLED: Tool 'b' was cancelled",
    );
    answer('yes');
    expect(await Promise.all([first, third])).toEqual(['made', 'made']);
    expect(asked.map(request => request.tool)).toEqual(['a', 'c']);
  });

  it('an approver that throws refuses this call and no other', async () => {
    const { made, permit } = gate({ askAll: true }, []);
    made.approver = () => Promise.reject(new Error('the terminal is gone'));
    expect(await permit('a')).toContain('the terminal is gone');
    made.approver = () => Promise.resolve('yes');
    expect(await permit('a')).toBe('made');
  });
});
