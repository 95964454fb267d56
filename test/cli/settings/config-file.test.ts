import { describe, expect, test } from 'vitest';
import { checkNumbers } from '../../../src/cli/options/check-options.ts';
import { mergeSampling } from '../../../src/cli/options/sampling-options.ts';
import { parseConfig, readConfigFile } from '../../../src/cli/settings/config-file.ts';

const read = (text: string) => parseConfig(text, '/x/config.json');

describe('config.json', () => {
  test('is read with comments', () => {
    const { config, warnings } = read(
      '{ // c\n "SystemPrompt": "Hi", "sampling": { "temperature": 0.5, }, }',
    );
    expect(config).toEqual({ SystemPrompt: 'Hi', sampling: { temperature: 0.5 } });
    expect(warnings).toEqual([]);
  });

  test('nested very deep, or without an end: refused at once', () => {
    const started = performance.now();
    expect(() => read(`{"SystemPrompt":${'['.repeat(900_000)}`)).toThrow('nested more than 100 levels deep');
    expect(() => readConfigFile('/dev/zero')).toThrow('/dev/zero is not a file');
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('takes every sampling field', () => {
    const sampling = {
      temperature: 1,
      topP: 0.5,
      topK: 3,
      minP: 0.1,
      repetitionPenalty: 1.1,
      presencePenalty: -1,
      frequencyPenalty: 2,
      logitBias: { 17: -100 },
      seed: 4,
      maxTokens: 5,
      stop: ['x'],
    };
    const { config, warnings } = read(JSON.stringify({ SystemPrompt: '', sampling }));
    expect([config.sampling, warnings]).toEqual([sampling, []]);
  });

  test.each([
    ['{}', "config.json: the field 'SystemPrompt' is missing"],
    ['{ "SystemPrompt": 1 }', "config.json: the field 'SystemPrompt' must be string"],
    [
      '{ "SystemPrompt": "", "sampling": { "topP": 2 } }',
      "config.json: the field 'sampling.topP' must be <= 1",
    ],
    [
      '{ "SystemPrompt": "", "tools": { "approval": "maybe" } }',
      'config.json: the field \'tools.approval\' must be one of "auto", "ask", "never"',
    ],
    [
      '{ "SystemPrompt": "", "tools": { "ratePerMinute": 0 } }',
      "config.json: the field 'tools.ratePerMinute' must be >= 1",
    ],
    [
      '{ "SystemPrompt": "", "sampling": { "logitBias": { "x": 1 } } }',
      'config.json: the field \'sampling.logitBias\' must match pattern "^[0-9]+$"',
    ],
    ['[]', 'config.json: the file must be object'],
    ['{ "SystemPrompt": ', 'Invalid JSON in config.json: value expected at 1:19'],
    ['', 'Invalid JSON in config.json: the file is empty at 1:1'],
  ])('%s', (text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'CONFIG', exitCode: 78, message }));
  });

  describe('toolFormats', () => {
    const row = { id: 'mine', when: ['<call>', ['a', 'b']], opener: '<call>', closer: '</call>' };
    const withRows = (...rows: object[]) => JSON.stringify({ SystemPrompt: '', toolFormats: rows }, null, 1);

    test('are rows of the table', () => {
      const full = { ...row, body: 'pythonic', thinking: { opener: '<t>', closer: '</t>' } };
      const theirs = { id: 'theirs', when: ['x'], responseTemplate: { fields: { content: {} } } };
      const { config, warnings } = read(withRows(full, theirs));
      expect([config.toolFormats, warnings]).toEqual([[full, theirs], []]);
    });

    test.each([
      [{ ...row, opener: undefined }, "the field 'toolFormats.1.opener' is missing", 12],
      [{ ...row, body: 'xml' }, 'the field \'toolFormats.1.body\' must be one of "json", "pythonic"', 23],
      [{ ...row, when: [] }, "the field 'toolFormats.1.when' must NOT have fewer than 1 items", 14],
      [{ ...row, when: [3] }, "the field 'toolFormats.1.when.0' must be string,array", 15],
      [{ ...row, when: [''] }, "the field 'toolFormats.1.when.0' must NOT have fewer than 1 characters", 15],
      [{ ...row, id: 'first' }, "the field 'toolFormats.1.id' 'first' occurs twice", 13],
      [{ ...row, closer: '<call>' }, "the field 'toolFormats.1.closer' must differ from the opener", 22],
      [
        { ...row, responseTemplate: {} },
        "the field 'toolFormats.1.opener' cannot be combined with responseTemplate",
        21,
      ],
      [
        { id: 'theirs', when: ['x'], responseTemplate: {} },
        "the field 'toolFormats.1.responseTemplate' cannot be read: The response_template has no fields",
        17,
      ],
    ])('%j', (broken, message, line) => {
      const first = { id: 'first', when: ['x'], opener: 'y', closer: 'z' };
      const hint = expect.stringContaining(`/x/config.json:${line}.`);
      expect(() => read(withRows(first, broken))).toThrow(
        expect.objectContaining({ code: 'CONFIG', message: `config.json: ${message}`, hint }),
      );
    });

    test('an unknown key in a row warns with its line', () => {
      expect(read(withRows({ ...row, openr: 'x' })).warnings).toEqual([
        "/x/config.json:15: unknown key 'toolFormats.0.openr'; did you mean 'opener'?",
      ]);
    });
  });

  test.each([
    ['"promptStyle": "mine"', "the field 'promptStyle' is not a known style; known: generic, llama, code", 3],
    [
      '"promptStyles": {\n "mine": { "opener": "x",\n "closer": "x" } }',
      "the field 'promptStyles.mine.closer' must differ from the opener",
      5,
    ],
  ])('%s', (field, message, line) => {
    const hint = `At /x/config.json:${line}.`;
    expect(() => read(`{ "SystemPrompt": "",\n\n ${field} }`)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: `config.json: ${message}`, hint }),
    );
  });

  test('an unknown key warns with its line and the nearest known one', () => {
    const { warnings } = read('{\n "SystemPrompt": "",\n "sampling": {\n  "temprature": 1 } }');
    expect(warnings).toEqual([
      "/x/config.json:4: unknown key 'sampling.temprature'; did you mean 'temperature'?",
    ]);
  });
});

describe('numbers on the command line', () => {
  test.each([
    [{ temperature: -1 }, '--temperature must be a number from 0 to 5, got -1'],
    [{ temperature: Number.NaN }, '--temperature must be a number from 0 to 5, got NaN'],
    [{ temperature: 'hot' as unknown as number }, '--temperature must be a number from 0 to 5, got "hot"'],
    [{ topP: 0 }, '--top-p must be a number above 0 and at most 1, got 0'],
    [{ minP: 1 }, '--min-p must be a number of at least 0 and below 1, got 1'],
    [{ repetitionPenalty: 0 }, '--repetition-penalty must be a number above 0 and at most 10, got 0'],
    [{ presencePenalty: 3 }, '--presence-penalty must be a number from -2 to 2, got 3'],
    [{ frequencyPenalty: -2.5 }, '--frequency-penalty must be a number from -2 to 2, got -2.5'],
    [{ seed: 1.5 }, '--seed must be an integer from 0 to 4294967295, got 1.5'],
    [{ maxTokens: 0 }, '--max-tokens must be an integer from 1 to 2147483647, got 0'],
  ])('%j', (args, message) => {
    expect(() => checkNumbers(args)).toThrow(
      expect.objectContaining({ code: 'USAGE', exitCode: 2, message }),
    );
  });

  test('win over config.json', () => {
    const config = { sampling: { temperature: 1, topK: 5 } };
    expect(mergeSampling({ temperature: 0 }, config)).toEqual({ temperature: 0, topK: 5 });
  });
});
