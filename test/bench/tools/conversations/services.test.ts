import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BfclFunction, offeredTool } from '../../../../src/bench/tools/bfcl/offered-tool.ts';
import { missingServices, serviceConfigs } from '../../../../src/bench/tools/bfcl/services.ts';
import { bfclPlace } from '../../../fixtures/bfcl-place.ts';

/** What a service answers to these lines, until its stdin ends. */
function talk(lines: readonly string[], service = 'LampAPI') {
  const [config] = serviceConfigs(bfclPlace(), 'multi_turn_base_0', [service]);
  const { command, args } = config as { command: string; args: readonly string[] };
  const { stdout, status } = spawnSync(command, args, { input: lines.join('\n'), encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
}

const request = (id: number, method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const call = (id: number, name: string, args?: unknown) =>
  request(id, 'tools/call', { name, arguments: args });

describe('a service', { timeout: 60_000 }, () => {
  test('keeps what is done, and answers with what BFCL would show', () => {
    const answers = talk([
      request(1, 'initialize', { protocolVersion: '2025-03-26' }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      call(2, 'lamps_on', {}),
      call(3, 'set_lamp', { room: 'hall' }),
      call(4, 'lamps_on'),
      call(5, 'set_lamp', { room: 'cellar' }),
      call(6, 'set_lamp', { where: 'hall' }),
      call(7, 'lamp_object', {}),
      request(8, 'ping'),
    ]);
    expect(answers[0].result).toMatchObject({ protocolVersion: '2025-03-26', capabilities: { tools: {} } });
    expect(answers.slice(1, -1).map(({ result }) => result.content[0].text)).toEqual([
      "['attic']",
      '{"room": "hall", "percent": 100}',
      "['attic', 'hall']",
      '{"error": "There is no room cellar"}',
      "Error during execution: LampAPI.set_lamp() got an unexpected keyword argument 'where'",
      expect.stringMatching(/^\{'lamp': <class '.*LampAPI'>\}$/),
    ]);
    expect(answers.at(-1)).toEqual({ jsonrpc: '2.0', id: 8, result: {} });
  });

  test.each([
    ['{"id": ', null, -32700],
    [`${'['.repeat(200_000)}`, null, -32700],
    ['[]', null, -32600],
    [request(1, 'resources/list'), 1, -32601],
    [request(1, 'tools/call', [1]), 1, -32602],
    [call(1, '_load_scenario', {}), 1, -32602],
    [call(1, 'note', {}), 1, -32602],
    [call(1, 'set_lamp', ['hall']), 1, -32602],
  ])('refuses what it cannot do, and goes on: %#', (line, id, code) => {
    expect(talk([line, '{"method": "x"}', request(2, 'ping')])).toMatchObject([
      { id, error: { code } },
      { id: 2, result: {} },
    ]);
  });

  test.each(['lamp', 'notes'])('words the tools of %s as those of single turns', name => {
    const { folder } = bfclPlace();
    const described = readFileSync(join(folder, 'multi_turn_func_doc', `${name}.json`), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => offeredTool(JSON.parse(line) as BfclFunction, 'json').function);
    const [{ result }] = talk([request(1, 'tools/list')], name === 'lamp' ? 'LampAPI' : 'NotesAPI');
    expect(result.tools).toEqual(
      described.map(({ name: tool, description, parameters }) => ({
        name: tool,
        description,
        inputSchema: parameters,
      })),
    );
  });
});

describe('services that cannot run', () => {
  const signal = new AbortController().signal;

  test('are named, with what they need', async () => {
    const missing = await missingServices(bfclPlace(), ['LampAPI', 'NeedyAPI', 'NoneAPI'], signal);
    expect([...missing]).toEqual([
      ['NeedyAPI', 'needs the Python package no_such_package_of_python'],
      ['NoneAPI', 'LookupError: no file has the class NoneAPI'],
    ]);
  });

  test('are all of them without Python', async () => {
    const services = { ...bfclPlace(), env: { PYTHON: '/no/python3' } };
    await expect(missingServices(services, ['LampAPI'], signal)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      hint: /python3/,
    });
  });

  test('are not looked for after an abort', async () => {
    const stop = AbortSignal.abort();
    await expect(missingServices(bfclPlace(), ['LampAPI'], stop)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});
