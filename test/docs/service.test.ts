import { expect, it } from 'vitest';
import { EXIT } from '../../src/errors.ts';
import { codeBlocks } from './command-lines.ts';

const unit = codeBlocks('ini').find(({ page }) => page === 'docs/service.md')?.text ?? '';
const plist = codeBlocks('xml').find(({ page }) => page === 'docs/service.md')?.text ?? '';

it('systemd does not start again what would end the same way, and waits for the program to close', () => {
  const [, codes = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(unit) ?? [];
  const { usage, modelBroken, modelNotFound, refused, config } = EXIT;
  expect(codes.split(' ').map(Number)).toEqual([usage, modelBroken, modelNotFound, refused, config]);
  expect(unit).toContain('SuccessExitStatus=143\n');
  // --drain-timeout is 20 by default, and servers and model get 5.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(25);
  expect(unit).toMatch(/^ExecStart=\/\S+ serve demo --quiet$/m);
});

it("launchd's file says the same", () => {
  expect(plist.match(/<string>(?:serve|demo|--quiet)<\/string>/g)).toHaveLength(3);
  expect(Number(/ExitTimeOut<\/key>\s*<integer>(\d+)/.exec(plist)?.[1])).toBeGreaterThan(25);
  for (const tag of ['dict', 'array', 'key', 'string', 'plist', 'integer'])
    expect(plist.split(`<${tag}`).length).toBe(plist.split(`</${tag}>`).length);
});
