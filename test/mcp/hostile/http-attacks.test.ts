import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { ATTACKS } from '../../fixtures/mcp/hostile/http-attacks.mjs';
import { httpEntry } from '../../fixtures/mcp/http-servers.ts';
import { FIXTURES } from '../../fixtures/mcp/support.ts';
import { expectHeld, report } from './report.ts';
import { Fortress } from './withstand.ts';

const fortress = new Fortress();
let server: ChildProcess;
let port: number;
beforeAll(async () => {
  server = spawn(process.execPath, [join(FIXTURES, 'hostile/http.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (server.stdout === null) throw new Error('a pipe was asked for');
  const [line] = await once(server.stdout, 'data');
  port = Number(String(line));
  await fortress.open();
});
afterAll(async () => {
  await fortress.close();
  server.kill();
});

it.each(Object.keys(ATTACKS))('a server with %s', async name => {
  const entry = httpEntry(`http://127.0.0.1:${port}/${encodeURIComponent(name)}`, {
    name: 'hostile',
    startTimeoutMs: 10_000,
  });
  const withstood = await fortress.withstand(entry, 'no process');
  report('HTTP', name, withstood);
  expectHeld(withstood);
});
