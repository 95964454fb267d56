import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readModelTexts } from '../../src/model/config.ts';
import { ggufStopIds, stopIdsOf } from '../../src/model/stop-ids.ts';
import { readText } from '../../src/text/files/json-file.ts';
import { TextList } from '../../src/text/text-list.ts';
import { tempFolder } from './temp-folder.ts';
import { thrown, thrownHint } from './thrown.ts';

describe('readModelTexts', () => {
  test('reads what is there', () => {
    const folder = tempFolder({
      'config.json': '\uFEFF{"model_type":"llama"}',
      'tokenizer.json': { model: {} },
      'tokenizer_config.json': { eos_token: '</s>' },
    });
    expect(readModelTexts(folder)).toEqual({
      config: { model_type: 'llama' },
      generationConfig: undefined,
      tokenizer: { model: {} },
      tokenizerConfig: { eos_token: '</s>' },
      chatTemplate: undefined,
      toolTemplate: undefined,
    });
  });

  test('a folder without config.json', () => {
    const folder = tempFolder();
    expect(thrown(() => readModelTexts(folder))).toBe(`MODEL_BROKEN: config.json not found in ${folder}`);
    expect(thrownHint(() => readModelTexts(folder))).toMatch(/Download the whole repository/);
  });

  test.each([
    ['{\n  "a": 1,\n  "b": }', /config\.json is not valid JSON: value expected at 3:8$/],
    ['{"a": 1,}', /at 1:9$/],
    ['', /is not valid JSON: .* at 1:1$/],
    ['[1]', /config\.json must hold a JSON object$/],
  ])('broken JSON %j names the place', (text, message) => {
    const folder = tempFolder({ 'config.json': text });
    expect(thrown(() => readModelTexts(folder))).toMatch(/^MODEL_BROKEN/);
    expect(thrown(() => readModelTexts(folder))).toMatch(message);
  });

  test('bytes that are no UTF-8, a folder in the place of a file', () => {
    const folder = tempFolder({ 'a.json': Buffer.from([0xff]), 'config.json/x': '' });
    expect(thrown(() => readText(join(folder, 'a.json')))).toBe('MODEL_BROKEN: a.json is not valid UTF-8');
    expect(thrown(() => readModelTexts(folder))).toMatch(/^MODEL_BROKEN: config\.json is not a file$/);
  });

  describe('chat template', () => {
    const templates = (files: Record<string, string | object>) => {
      const { chatTemplate, toolTemplate } = readModelTexts(tempFolder({ 'config.json': {}, ...files }));
      return { chatTemplate, toolTemplate };
    };

    test('the .jinja file comes first, then chat_template.json, then tokenizer_config.json', () => {
      const config = { 'tokenizer_config.json': { chat_template: 'config' } };
      const json = { 'chat_template.json': { chat_template: 'json' }, ...config };
      expect(templates(config).chatTemplate).toBe('config');
      expect(templates(json).chatTemplate).toBe('json');
      expect(templates({ 'chat_template.jinja': 'jinja\n', ...json }).chatTemplate).toBe('jinja\n');
    });

    test('a list of named templates', () => {
      const list = [
        { name: 'default', template: 'd' },
        { name: 'tool_use', template: 't' },
      ];
      expect(templates({ 'tokenizer_config.json': { chat_template: list } })).toEqual({
        chatTemplate: 'd',
        toolTemplate: 't',
      });
    });

    test('anything else is broken', () => {
      for (const template of [7, [{ name: 'default' }], { default: 'x' }]) {
        expect(thrown(() => templates({ 'tokenizer_config.json': { chat_template: template } }))).toMatch(
          /^MODEL_BROKEN: tokenizer_config\.json has a broken chat_template/,
        );
      }
    });
  });
});

describe('stop ids', () => {
  const added = (id: number, content: string) => ({ id, content, special: true });

  test('come from all configurations and from chat end marks', () => {
    const ids = stopIdsOf({
      config: { eos_token_id: 2 },
      generationConfig: { eos_token_id: [2, 5] },
      tokenizerConfig: { eos_token: { content: '<eos>' } },
      tokenizer: { added_tokens: [added(7, '<eos>'), added(8, '<|im_end|>'), added(9, '<|im_start|>')] },
    });
    expect(ids.sort((a, b) => a - b)).toEqual([2, 5, 7, 8]);
  });

  test("<|end|> ends a reply of Phi, and only a message of gpt-oss's", () => {
    const idsOf = (...marks: string[]) =>
      stopIdsOf({ config: {}, tokenizer: { added_tokens: marks.map((mark, id) => added(id, mark)) } });
    expect(idsOf('<|end|>', '<|assistant|>')).toEqual([0]);
    expect(idsOf('<|end|>', '<|return|>', '<|call|>', '<|start|>')).toEqual([1, 2]);
    const gguf = (...marks: string[]) =>
      ggufStopIds(
        new Map<string, unknown>([
          ['tokenizer.ggml.tokens', TextList.of(marks)],
          ['tokenizer.ggml.token_type', marks.map(() => 3)],
        ]),
      );
    expect(gguf('<|end|>', '<|assistant|>')).toEqual([0]);
    expect(gguf('<|end|>', '<|return|>', '<|call|>')).toEqual([1, 2]);
  });

  test('nothing that is no id', () => {
    const odd = { eos_token_id: [null, -1, 1.5, '3', 2 ** 40] };
    expect(stopIdsOf({ config: odd, tokenizer: { added_tokens: [3, { content: '</s>' }] } })).toEqual([]);
    expect(stopIdsOf({ config: {} })).toEqual([]);
  });

  test('of a GGUF file: eos, eot and control tokens that are end marks', () => {
    const metadata = new Map<string, unknown>([
      ['tokenizer.ggml.eos_token_id', 1],
      ['tokenizer.ggml.eot_token_id', 2],
      ['tokenizer.ggml.tokens', TextList.of(['<|endoftext|>', 'a', 'b', '</s>'])],
      ['tokenizer.ggml.token_type', [3, 1, 1, 1]],
    ]);
    expect(ggufStopIds(metadata)).toEqual([1, 2, 0]);
    expect(ggufStopIds(new Map())).toEqual([]);
  });
});
