import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import yargs from 'yargs';
import { checkHosts } from '../../../src/cli/options/check-options.ts';
import { declareOptions, showUsual } from '../../../src/cli/options/declare-options.ts';
import { OPTION_NAMES, type OptionRow, optionRow } from '../../../src/cli/options/option-table.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const SCHEMA = JSON.parse(
  readFileSync(new URL('../../../config.schema.json', import.meta.url), 'utf8'),
) as Schema;

const ROWS = OPTION_NAMES.map((name): [string, OptionRow] => [name, optionRow(name)]);

test.each(ROWS.filter(([, { config }]) => config !== undefined))(
  '--%s is the same in config.json',
  (_name, { config = '', kind, choices, range }) => {
    const schema = config.split('.').reduce<Schema | undefined>((at, key) => at?.properties?.[key], SCHEMA);
    if (choices) expect(schema?.enum).toEqual(choices);
    else if (kind === 'number') expect(schema?.type).toBe(range?.integer ? 'integer' : 'number');
    else expect(schema?.type).toBe(kind === 'flag' ? 'boolean' : 'string');
    if (range) expect(range.above ? schema?.exclusiveMinimum : schema?.minimum).toBe(range.min);
    if (range && schema?.maximum !== undefined) expect(schema.maximum).toBe(range.max);
  },
);

test.each([
  [{ draftModel: 'org/small' }, '--draft-model'],
  [{ saveQuantized: 'folder' }, '--save-quantized'],
  [{ maxGap: 50 }, '--max-gap'],
])('%j is for a model of one machine', (args, flag) => {
  expect(() => checkHosts(args)).not.toThrow();
  expect(() => checkHosts({ ...args, hosts: 'hosts.json' })).toThrow(
    expect.objectContaining({ code: 'USAGE', message: `${flag} cannot be combined with --hosts` }),
  );
});

test('help shows the usual options, and all of them on demand', async () => {
  const whole = declareOptions(yargs([]), 'chat');
  const all = await whole.getHelp();
  showUsual(whole);
  const usual = await whole.getHelp();
  for (const [name, row] of ROWS) {
    if (name === 'model' || !row.commands.includes('chat')) continue;
    const line = new RegExp(`--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}\\b`);
    expect(all).toMatch(line);
    if (!row.usual) expect(usual).not.toMatch(line);
  }
});
