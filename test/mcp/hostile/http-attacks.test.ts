import { afterAll, beforeAll, it } from 'vitest';
import { httpEntry } from '../../fixtures/mcp/http-servers.ts';
import { addressOf, startHostileHttp, titled } from './hostile-servers.ts';
import { expectHeld, report } from './report.ts';
import { Fortress } from './withstand.ts';

const fortress = new Fortress();
let http: Awaited<ReturnType<typeof startHostileHttp>>;
beforeAll(async () => {
  http = await startHostileHttp();
  await fortress.open();
});
afterAll(async () => {
  await fortress.close();
  http.close();
});

it.each(titled('HTTP'))('a server with %s', async (_, server) => {
  const entry = httpEntry(addressOf(server, http.port), { name: 'hostile', startTimeoutMs: 10_000 });
  const withstood = await fortress.withstand(entry, 'no process');
  report(server, withstood);
  expectHeld(withstood);
});
