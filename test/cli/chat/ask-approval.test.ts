import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { terminalApprover } from '../../../src/cli/chat/approval.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each([
  ['dumb', false],
  ['xterm', true],
])('on a terminal that calls itself %s, the question holds control sequences: %s', async (term, expected) => {
  vi.stubEnv('TERM', term);
  const terminals = [process.stdin, process.stderr];
  const before = terminals.map(({ isTTY }) => isTTY);
  for (const one of terminals) one.isTTY = true;
  onTestFinished(() => {
    for (const [index, one] of terminals.entries()) one.isTTY = before[index] as boolean;
  });
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0);
  const answer = await terminalApprover()?.({
    offered: 'rm',
    tool: 'rm',
    server: 's',
    arguments: {},
    reason: 'rule',
    savedIn: undefined,
    problem: () => undefined,
    // The turn is over already: nothing is read.
    signal: AbortSignal.abort(),
  });
  expect(answer).toBe('no');
  expect(written.join('')).toContain('once: run it this once');
  expect(written.join('').includes('\u001b')).toBe(expected);
});
