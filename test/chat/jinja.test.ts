import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../src/chat/jinja/ast.ts';
import { fromJs } from '../../src/chat/jinja/from-js.ts';
import { renderNodes } from '../../src/chat/jinja/render.ts';
import { runNode } from '../run-node.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const fixture: { variables: Record<string, unknown>; templates: string[] } = read('../fixtures/jinja.json');
/** What Python's Jinja makes of each template, or the class of its error. */
const golden: (string | { error: string })[] = read('../golden/text/jinja.json');
/** The address of one of the interpreter's modules. */
const url = (name: string) => new URL(`../../src/chat/jinja/${name}.ts`, import.meta.url).href;
const NOW = new Date(2026, 10, 21, 22, 5, 9);

function render(template: string, variables: Record<string, unknown> = fixture.variables): string {
  const values = new Map(Object.entries(variables).map(([name, value]) => [name, fromJs(value, true)]));
  return renderNodes(parseTemplate(template), values, NOW).value;
}

describe('as in Python', () => {
  it.each(fixture.templates.map((template, index) => ({ template, expected: golden[index] })))(
    '$template',
    ({ template, expected }) => {
      if (typeof expected === 'string') expect(render(template)).toBe(expected);
      else expect(() => render(template)).toThrow(expect.objectContaining({ code: 'TEMPLATE' }));
    },
  );
});

describe('a template that cannot be used', () => {
  it.each(['{% if %}', '{{ a', '{% nosuch %}', '{{ 1 is divisibleby(2) }}', '{% for %}'])(
    '%s is refused',
    template => {
      expect(() => render(template)).toThrow(expect.objectContaining({ code: 'TEMPLATE' }));
    },
  );

  it.each([
    ['{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', 'failed'],
    ['{% for a in range(9999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}', '3 million steps'],
    ['{% for a in range(9999) %}{% set x = range(99999) %}{% endfor %}', '3 million steps'],
    ["{{ 'a' * 999999999 }}", '16 million characters'],
    [
      "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      '16 million',
    ],
    ["{{ 'aaaaaaaa'.replace('a', 'a' * 60000000) }}", '16 million'],
    ["{% set x = 'a' * 999999 %}{% for i in range(999) %}{{ x }}{% endfor %}", '64 million'],
    ['{{ range(99999999) }}', 'too long'],
    ['{{ [0] * 999999999 }}', '100,000 items'],
    [
      '{% set ns = namespace(l=[0]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}',
      '100,000 items',
    ],
    [
      '{% set ns = namespace(l=[], b=[0] * 99999) %}{% for i in range(9999) %}{% set ns.l = ns.l + [ns.b + []] %}{% endfor %}',
      '10 million items',
    ],
    [
      "{% set ns = namespace(l=[], b='a' * 9999999) %}{% for i in range(9999) %}{% set ns.l = ns.l + [ns.b ~ i] %}{% endfor %}",
      '256 million characters',
    ],
    [
      '{% set ns = namespace(l=[0]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}',
      'million characters|within 5 s',
    ],
    ["{{ range(99999) | join('a' * 9999999) }}", '64 million'],
    [
      "{% set ns = namespace(s='a' * 9999999) %}{% for i in range(9999) %}{% set ns.s = ns.s.replace('a', 'a') %}{% endfor %}",
      '256 million|within 5 s',
    ],
  ])('%s ends with an error, in bounded time and memory', async (template, message) => {
    const begun = performance.now();
    // In a process of its own: a worker's memory also holds what other tests have left.
    const { stdout, stderr, status } = await runNode([
      '--experimental-strip-types',
      '--no-warnings',
      '--input-type=module',
      '-e',
      `const { parseTemplate } = await import(${JSON.stringify(url('ast'))});
       const { renderNodes } = await import(${JSON.stringify(url('render'))});
       const before = process.memoryUsage().rss;
       try {
         renderNodes(parseTemplate(${JSON.stringify(template)}), new Map(), new Date());
       } catch ({ code, message }) {
         console.log(JSON.stringify({ code, message, bytes: process.memoryUsage().rss - before }));
       }`,
    ]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const { bytes, ...error } = JSON.parse(stdout);
    expect(error).toEqual({ code: 'TEMPLATE', message: expect.stringMatching(message) });
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(bytes).toBeLessThan(700e6);
  });

  it('sees nothing of JavaScript', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(
        render(`{{ x.${name} is defined }}{{ s.${name} is defined }}{{ l.${name} is defined }}`, {
          x: {},
          s: 'a',
          l: [],
        }),
      ).toBe('FalseFalseFalse');
      expect(() => render(`{{ 'a' | ${name} }}`)).toThrow(`no filter named '${name}'`);
      expect(() => render(`{{ 'a' is ${name} }}`)).toThrow(`no test named '${name}'`);
    }
  });

  it('refuses data that are nested without end', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 1000; level++) deep = [deep];
    expect(() => render('{{ x }}', { x: deep })).toThrow(/nested/);
  });
});
