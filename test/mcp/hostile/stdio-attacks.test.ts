import { afterAll, beforeAll, it } from 'vitest';
import { FIXTURES } from '../../fixtures/mcp/support.ts';
import { commandOf, HOSTILE_SERVERS, titled } from './hostile-servers.ts';
import { expectHeld, report } from './report.ts';
import { Fortress } from './withstand.ts';

const fortress = new Fortress();
beforeAll(() => fortress.open());
afterAll(() => fortress.close());

it.each(titled('stdio'))('a server that %s', async (_, server) => {
  const mark = `hostile-stdio-${process.pid}-${HOSTILE_SERVERS.indexOf(server)}`;
  const withstood = await fortress.withstand(
    {
      name: 'hostile',
      transport: 'stdio',
      cwd: FIXTURES,
      env: {},
      ...commandOf(server, mark),
      startTimeoutMs: 10_000,
    },
    mark,
    server.args,
  );
  report(server, withstood);
  expectHeld(withstood);
});
