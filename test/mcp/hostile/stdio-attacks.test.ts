import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { ATTACKS } from '../../fixtures/mcp/hostile/stdio-attacks.mjs';
import { FIXTURES } from '../../fixtures/mcp/support.ts';
import { expectHeld, report } from './report.ts';
import { Fortress } from './withstand.ts';

const fortress = new Fortress();
beforeAll(() => fortress.open());
afterAll(() => fortress.close());

it.each(Object.entries(ATTACKS))('a server that %s', async (name, { args }) => {
  const mark = `hostile-stdio-${process.pid}-${Object.keys(ATTACKS).indexOf(name)}`;
  const withstood = await fortress.withstand(
    {
      ...{ name: 'hostile', transport: 'stdio', command: process.execPath, cwd: FIXTURES, env: {} },
      args: [join(FIXTURES, 'hostile/stdio.mjs'), name, mark],
      startTimeoutMs: 10_000,
    },
    mark,
    args,
  );
  report('stdio', name, withstood);
  expectHeld(withstood);
});
