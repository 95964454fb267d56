import { expect, it } from 'vitest';
import { parseMcpFile } from '../../../src/mcp/config/document.ts';
import { mergeDocuments } from '../../../src/mcp/config/merge.ts';

const parse = (path: string, servers: object) => parseMcpFile({ path, text: JSON.stringify({ servers }) });

it('a later file wins, server by server, also by switching off or by being broken', () => {
  const run = { command: 'run' };
  const [first, second, third] = mergeDocuments([
    parse('/a.json', { same: run, off: run, broken: run, own: run }),
    parse('/b.json', { same: { command: 'walk' }, off: { disabled: true } }),
    parse('/c.json', { broken: {}, same: { command: 'fly' } }),
  ]);
  expect(first?.entries.map(entry => entry.name)).toEqual(['own']);
  expect(first?.warnings).toEqual([
    "a.json: server 'same' is replaced by the one in c.json",
    "a.json: server 'off' is replaced by the one in b.json",
    "a.json: server 'broken' is replaced by the one in c.json",
  ]);
  expect([second?.entries, second?.disabled]).toEqual([[], ['off']]);
  expect(third?.entries.map(entry => entry.name)).toEqual(['same']);
  expect(third?.failures.map(failure => failure.name)).toEqual(['broken']);
});
