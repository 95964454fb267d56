import { describe, expect, test } from 'vitest';
import { checkOllama } from '../../../src/cli/options/check-options.ts';
import type { ChatArguments } from '../../../src/cli/options/option-table.ts';
import { givenSource } from '../../../src/cli/settings/model-source.ts';
import { launch } from '../../../src/cli/start/launch.ts';
import { localSource, type ModelSource } from '../../../src/model/model-source.ts';

const OF_ONE: [string, ChatArguments][] = [
  ['--adapter', { adapter: ['folder'] }],
  ['--quantize', { quantize: '4' }],
  ['--save-quantized', { saveQuantized: 'folder' }],
  ['--draft-model', { draftModel: 'org/small' }],
  ['--hosts', { hosts: 'hosts.json' }],
];
const OF_ALL: [string, ChatArguments][] = [
  ['--kv-bits', { kvBits: 8 }],
  ['--disk-cache-mb', { diskCacheMb: 0 }],
];

const OLLAMA = { kind: 'ollama', text: 'ollama:x', name: 'x' } as const;

const refusal = (flag: string) =>
  expect.objectContaining({ code: 'USAGE', message: `${flag} cannot be combined with a model of Ollama` });

describe.each([...OF_ONE, ...OF_ALL])('%s', (flag, args) => {
  test('is refused with a model of Ollama, and goes with another', () => {
    expect(() => checkOllama(OLLAMA, args, false)).toThrow(refusal(flag));
    expect(() => checkOllama(localSource('org/x', { cwd: '/' }), args, false)).not.toThrow();
  });

  test('is refused before anything starts, however Ollama is named', async () => {
    const settings = {
      config: { SystemPrompt: '' },
      configPaths: [],
      mcpFiles: [],
      warnings: [],
      notices: [],
    };
    const openModel = () => Promise.reject(new Error('opened'));
    const named = [
      { model: 'ollama:x' },
      { model: 'ollama:x', models: [] },
      { model: 'x', backend: 'ollama' as const },
    ];
    for (const one of named) {
      const given = { ...args, ...one };
      const source = givenSource(given, { cwd: '/', env: {} }) as ModelSource;
      await expect(launch(given, source, settings, openModel)).rejects.toThrow(refusal(flag));
    }
  });
});

test.each(OF_ALL)('%s is for the further models of a server', (_flag, args) => {
  expect(() => checkOllama(OLLAMA, args, true)).not.toThrow();
});

test.each(OF_ONE)('%s is for none of the further models', (flag, args) => {
  expect(() => checkOllama(OLLAMA, args, true)).toThrow(refusal(flag));
});

test('what Ollama can do is taken', () => {
  expect(() => checkOllama(OLLAMA, { context: 100, repetitionGuard: false }, false)).not.toThrow();
});
