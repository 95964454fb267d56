// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { describe, expect, it } from 'vitest';
import { neededInputs, resolveDocument } from '../../../src/mcp/config/config.ts';
import { parseMcpFile } from '../../../src/mcp/config/document.ts';
import { type AskInput, inputVariable, resolveInputs } from '../../../src/mcp/config/inputs.ts';

const parse = (value: object) => parseMcpFile({ path: '/p/mcp.json', text: JSON.stringify(value) });
const key = { type: 'promptString', id: 'api-key', description: 'API key', password: true };
const pick = {
  type: 'pickString',
  id: 'level',
  options: ['low', { label: 'High', value: 'high' }],
  default: 'low',
};

async function values(
  inputs: object[],
  args: string[],
  env: Record<string, string> = {},
  ask?: AskInput,
): Promise<string | readonly string[]> {
  const document = parse({ inputs, servers: { x: { command: 'run', args } } });
  const needed = neededInputs(document.entries, env);
  const { lookup } = await resolveInputs(document.inputs, needed, env, ask);
  const config = resolveDocument(document, { env, input: lookup });
  const server = config.servers[0];
  return server?.transport === 'stdio' ? server.args : (config.failures[0]?.error.split('\n')[0] ?? '');
}

describe('inputs', () => {
  it('come from LLM_HOST_INPUT_<ID> without a question', async () => {
    const never: AskInput = () => Promise.reject(new Error('asked'));
    const env = { LLM_HOST_INPUT_API_KEY: 'k' };
    expect(await values([key], ['${input:api-key}', 'a${input:api-key}'], env, never)).toEqual(['k', 'ak']);
  });

  it('are asked once each, only when they are needed, and never expanded again', async () => {
    const asked: string[] = [];
    const ask: AskInput = input => {
      asked.push(`${input.description}${input.masked ? ' (masked)' : ''}`);
      return Promise.resolve('${input:other}');
    };
    const other = { type: 'promptString', id: 'other', password: false };
    const args = ['${input:api-key}', '${input:api-key}', '${SET:-${input:other}}'];
    expect(await values([key, other], args, { SET: 's' }, ask)).toEqual([
      '${input:other}',
      '${input:other}',
      's',
    ]);
    expect(asked).toEqual(['API key (masked)']);
    expect(await values([key, other], ['${UNSET:-${input:other}}'], {}, ask)).toEqual(['${input:other}']);
    expect(asked).toEqual(['API key (masked)', 'other']);
  });

  it('are masked unless the file says otherwise', () => {
    const document = parse({
      servers: {},
      inputs: [
        key,
        { type: 'promptString', id: 'a' },
        { type: 'promptString', id: 'b', password: false },
        pick,
      ],
    });
    expect(document.inputs.map(input => input.masked)).toEqual([true, true, false, false]);
  });

  it('take the default when there is no answer', async () => {
    const none: AskInput = () => Promise.resolve(undefined);
    expect(await values([pick], ['${input:level}'], {}, none)).toEqual(['low']);
    expect(
      await values([{ ...key, default: 'd' }], ['${input:api-key}'], {}, () => Promise.resolve('')),
    ).toEqual(['d']);
    expect(await values([{ ...key, default: '${input:api-key}' }], ['${input:api-key}'])).toEqual([
      '${input:api-key}',
    ]);
  });

  it.each([
    [
      [key],
      'api-key',
      {},
      "input 'api-key' has no value: set LLM_HOST_INPUT_API_KEY, or start on a terminal",
    ],
    [[], 'api-key', {}, 'there is no input \'api-key\' under "inputs"'],
    [
      [pick],
      'level',
      { LLM_HOST_INPUT_LEVEL: 'medium' },
      "'level' is 'medium', which is none of 'low', 'high'",
    ],
    [
      [{ type: 'command', id: 'c', command: 'rm -rf /' }],
      'c',
      { LLM_HOST_INPUT_C: 'x' },
      "input 'c' runs a command of an editor",
    ],
  ])('%#: without a value disable the server', async (inputs, id, env, message) => {
    expect(await values(inputs, [`\${input:${id}}`], env)).toContain(message);
  });

  it('that are broken are warned of with their place', () => {
    const { inputs, warnings } = parse({
      servers: {},
      inputs: [
        key,
        key,
        7,
        { id: 'x' },
        { id: '../x', type: 'promptString' },
        { ...key, id: 'y', password: 1 },
      ],
    });
    expect(inputs.map(input => input.id)).toEqual(['api-key']);
    expect(warnings).toHaveLength(5);
    for (const warning of warnings) expect(warning).toMatch(/^mcp\.json:1:\d+: (input|an input)/);
  });

  it('keep what was typed for the redaction of logs', async () => {
    const document = parse({ inputs: [key, pick], servers: {} });
    const env = { LLM_HOST_INPUT_API_KEY: 'k1', LLM_HOST_INPUT_LEVEL: 'high' };
    expect((await resolveInputs(document.inputs, ['api-key', 'level'], env)).secrets).toEqual(['k1']);
  });

  it('names their variable', () => {
    expect(['api-key', 'apiKey', 'a.b_c'].map(inputVariable)).toEqual([
      'LLM_HOST_INPUT_API_KEY',
      'LLM_HOST_INPUT_APIKEY',
      'LLM_HOST_INPUT_A_B_C',
    ]);
  });
});
