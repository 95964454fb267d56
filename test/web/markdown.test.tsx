import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { decoded } from '../../web/markdown/entities.ts';
import { Markdown } from '../../web/markdown/markdown.tsx';
import { plain } from '../../web/markdown/plain.ts';
import { safeLink } from '../../web/markdown/safe-link.ts';
import { visibleJson } from '../../web/markdown/visible-json.ts';
import { HOSTILE } from './hostile-markdown.ts';

const html = (text: string, open = false) => renderToStaticMarkup(<Markdown text={text} open={open} />);

/** All that a reply may become, with the attributes that are ours. */
const ELEMENTS =
  /^(p|h3|h4|h5|h6|ul|ol|li|blockquote|hr|br|strong|em|del|code|pre|a|table|thead|tbody|tr|th|td|section|figure|figcaption|span|button|svg|path)$/;
const ATTRIBUTES =
  /^(class|href|title|target|rel|start|scope|role|aria-label|aria-hidden|tabindex|type|viewbox|width|height|d)$/i;

/** Every element and attribute of a markup that React has written, so that quotes are escaped. */
function* tagsOf(markup: string) {
  for (const [, name = '', rest = ''] of markup.matchAll(/<([a-zA-Z0-9]+)((?:\s[^<>]*?)?)\/?>/g)) {
    const attributes = [...rest.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(
      ([, key, value]) => [key, value] as const,
    );
    yield { name, attributes };
  }
}

describe('a hostile reply', () => {
  it('there are at least 60', () => expect(HOSTILE.length).toBeGreaterThanOrEqual(60));

  it.each(HOSTILE)('%s becomes text', (_name, text) => {
    for (const open of [false, true]) {
      const markup = html(text, open);
      for (const { name, attributes } of tagsOf(markup)) {
        expect(name).toMatch(ELEMENTS);
        for (const [key, value] of attributes) {
          expect(key).toMatch(ATTRIBUTES);
          if (key === 'href') expect(value).toMatch(/^(https?:\/\/|mailto:)/);
          if (key === 'class') expect(value).toMatch(/^[\w -]*$/);
        }
      }
      expect(markup).not.toMatch(/<(script|img|iframe|style|form|input|object|embed|link|meta|base)\b/i);
    }
  });
});

describe('what a reply may hold', () => {
  it.each([
    ['**b** *e* ~~d~~ `c`', '<p><strong>b</strong> <em>e</em> <del>d</del> <code>c</code></p>'],
    ['# One\n## Two\n##### Five', '<h3>One</h3><h4>Two</h4><h6>Five</h6>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['0. a\n1. b', '<ol start="0"><li>a</li><li>b</li></ol>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['a\\*b &amp; <b>', '<p>a*b &amp; &lt;b&gt;</p>'],
    ['> q', '<blockquote><p>q</p></blockquote>'],
    ['a  \nb', '<p>a<br/>b</p>'],
    ['---', '<hr/>'],
    ['<div>\nx\n</div>', '<p class="source">&lt;div&gt;\nx\n&lt;/div&gt;</p>'],
    ['', ''],
  ])('%j', (text, markup) => {
    expect(html(text)).toBe(markup);
  });

  it('links open elsewhere, and say where they lead', () => {
    expect(html('[x](https://example.org/a) and mail@example.org')).toBe(
      '<p><a href="https://example.org/a" title="https://example.org/a" target="_blank" rel="noopener noreferrer nofollow">x</a> and <a href="mailto:mail@example.org" title="mailto:mail@example.org" target="_blank" rel="noopener noreferrer nofollow">mail@example.org</a></p>',
    );
  });

  it('pictures become links, ticks become words, tables keep their columns', () => {
    expect(html('![a cat](https://example.org/c.png)')).toContain('>[image: a cat]</a>');
    expect(html('- [x] done\n- [ ] open')).toMatch(/aria-label="done".*done<.*aria-label="to do".*open</s);
    expect(html('| a | b |\n| :-: | --: |\n| 1 | 2 |')).toContain(
      '<tr><td class="align-center">1</td><td class="align-right">2</td></tr>',
    );
  });

  it('code is coloured by its language, and only by one that is known', () => {
    expect(html('```js\nconst a = 1;\n```')).toContain('<span class="hljs-keyword">const</span>');
    expect(html('```klingon\nconst a = 1;\n```')).not.toContain('hljs-');
    expect(html('```\nconst a = 1;\n```')).toContain('>text</span>');
  });
});

describe('what is shown is what is there', () => {
  it('links', () => {
    expect(safeLink('https://EXAMPLE.org/a b')).toBe('https://example.org/a%20b');
    for (const href of [
      '',
      'x',
      '/x',
      '//x',
      '#x',
      'javascript:1',
      ' javascript:1',
      'ftp://x',
      'https://',
      `https://x/${'a'.repeat(2000)}`,
    ])
      expect([href, safeLink(href)]).toEqual([href, undefined]);
  });

  it('character references', () => {
    expect(decoded('&lt;b&gt; &#65;&#x42; &mdash; &nothing; &amp;amp; &#0; &#x110000; & &;')).toBe(
      '<b> AB — &nothing; &amp; \ufffd \ufffd & &;',
    );
  });

  it('texts and arguments', () => {
    expect(plain('a\u202eb\u0000c\u{e0041}d\te\nf\u200dg')).toBe('abcd\te\nf\u200dg');
    expect(visibleJson({ path: 'a\u202eb\u00a0c\u200b\u{e0041}', n: 1 })).toBe(
      '{\n  "path": "a\\u202eb\\u00a0c\\u200b\\udb40\\udc41",\n  "n": 1\n}',
    );
    const value = { path: 'a\u202eb\u{e0041} "q"\n' };
    expect(JSON.parse(visibleJson(value))).toEqual(value);
  });
});
