import { describe, expect, it, vi } from 'vitest';
import { resolveCall } from '../../src/parse/calls/resolve-call.ts';
import { ToolCatalog } from '../../src/parse/calls/tool-catalog.ts';
import { checkSchema, isNotChecked, isUsableSchema } from '../../src/parse/json/schema-check.ts';

/** A fifth of the limits, which would be waited for in full. */
vi.mock('../../src/text/time-limit.ts', async importOriginal => {
  const original = await importOriginal<typeof import('../../src/text/time-limit.ts')>();
  return {
    ...original,
    withinWork: (limitMs: number, work: () => unknown) => original.withinWork(limitMs / 5, work),
  };
});

/** A minute and more for the regular expressions below, doubling with each letter. */
const LETTERS = `${'a'.repeat(50)}!`;
/** Far less than they would take, far more than the limit on a busy machine. */
const SOON_MS = 2000;

function timed<T>(work: () => T): { result: T; ms: number } {
  const begun = performance.now();
  return { result: work(), ms: performance.now() - begun };
}

const text = (pattern: string) => ({ type: 'object', properties: { text: { type: 'string', pattern } } });

describe('references', () => {
  const catalog = (schema: object) =>
    new ToolCatalog([{ type: 'function', function: { name: 'f', parameters: schema } }]);
  const call = (schema: object, args: Record<string, unknown>) =>
    resolveCall({ name: 'f', arguments: args }, catalog(schema));

  it.each([
    ['%n', '%n'],
    ['%', '%'],
    ['a%20b', 'a b'],
    ['a~1b', 'a/b'],
    ['a~01', 'a~1'],
  ])('a name written %j is %j', (written, name) => {
    const schema = {
      properties: { n: { $ref: `#/$defs/${written}` } },
      $defs: { [name]: { type: 'number' } },
    };
    expect(call(schema, { n: '12' })).toMatchObject({ arguments: { n: 12 } });
  });
});

describe('patterns of schemas that never end', () => {
  it.each([
    ['nested repeats', text('^(a+)+$')],
    ['with a lookahead', text('^(?=(a+)+$)')],
    ['with a back reference', text('^(a|aa)+\\1$')],
    ['as names of properties', { patternProperties: { '^(a+)+$': true }, additionalProperties: false }],
    ['below a union', { anyOf: [text('^(a+)+$'), text('^(a|a)*$')] }],
    ['of the names', { propertyNames: { pattern: '^(a+)+$' } }],
  ])('%s: the check is given up', (_, schema) => {
    const value = { text: LETTERS, [LETTERS]: 1 };
    const { result, ms } = timed(() => checkSchema(schema, value));
    expect(ms).toBeLessThan(SOON_MS);
    expect(isNotChecked(result)).toBe(true);
    // Not tried again.
    const again = timed(() => checkSchema(schema, value));
    expect(isNotChecked(again.result)).toBe(true);
    expect(again.ms).toBeLessThan(50);
  });

  it('many values share one limit', () => {
    const schema = { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } };
    const { result, ms } = timed(() => checkSchema(schema, Array(100).fill('aaaaaaaaaaaaaaaaaaaaaaaaaa!')));
    expect(isNotChecked(result)).toBe(true);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('patterns that end are checked as before', () => {
    const schema = text('^(?!\\s*$)[a-z]+$');
    expect(checkSchema(schema, { text: 'abc' })).toEqual([]);
    expect(checkSchema(schema, { text: ' ' })).toMatchObject([{ path: '$.text', keyword: 'pattern' }]);
  });

  it.each([
    ['too large for the engine', '(?:a{1,30000}){1,30000}'],
    ['deep', '('.repeat(20_000) + ')'.repeat(20_000)],
    ['broken', '(['],
  ])('a pattern that is %s ends in time', (_, pattern) => {
    const { ms } = timed(() => isUsableSchema(text(pattern)) && checkSchema(text(pattern), { text: 'a' }));
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('a call whose schema takes too long goes to its server, marked as unchecked', () => {
    const tools = new ToolCatalog([{ name: 'slow', parameters: text('^(a+)+$') }]);
    const call = { name: 'slow', arguments: { text: LETTERS } };
    expect(resolveCall(call, tools)).toMatchObject({ ok: true, unchecked: true });
    // What was completed by guessing must be known to fit.
    expect(resolveCall({ ...call, guessed: true }, tools)).toMatchObject({ ok: false });
  });
});
