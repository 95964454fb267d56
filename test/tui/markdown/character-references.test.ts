import { expect, test } from 'vitest';
import { blocksOf, renderBlock } from '../../../src/tui/markdown/markdown.ts';
import type { Theme } from '../../../src/tui/style/theme.ts';

/** Without styles, so that what is left of a sequence shows. */
const PLAIN = new Proxy({} as Theme, { get: () => (text: string) => text });

const shown = (text: string): string =>
  blocksOf(text)
    .flatMap(block => renderBlock(block, 80, PLAIN))
    .join('\n');

test.each([
  ['a &lt;b&gt; &amp; &quot;c&quot; &#8212; &mdash;', 'a <b> & "c" — —'],
  ['# 1 &lt; 2', '1 < 2'],
  ['- **x &gt; y**', '• x > y'],
  ['[a &amp; b](http://c?d=1&amp;e=2)', 'a & b (http://c?d=1&e=2)'],
  ['AT&T; &unknown; &#xffffff; &amp', 'AT&T; &unknown; \ufffd &amp'],
  ['`&lt;` stays', '&lt; stays'],
  ['```\n&lt;\n```', '  &lt;'],
])('%j is shown as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  ...['$', '# $', '> $', '- $', '1. $', '**$**', '*$*', '~~$~~', '`$`', '[$](http://a)', '[a](http://a/$)'],
  ...['![$](b)', '![a](b$)', '<http://a/$>', '<b>$</b>', '<div>\n$\n</div>', '| $ |\n|---|\n| $ |', '\\$'],
  ...[
    '```$\n$\n```',
    '    $',
    '[a]: http://a "$"\n\n[a]',
    '[$]: http://a\n\n[$]',
    '- [ ] $',
    '$\n===',
    'http://a/$',
  ],
])('a reference to a control character in %j controls nothing', frame => {
  for (const sequence of ['&#27;[2J', '&#x1b;]52;c;eA==&#7;', '&#155;2J', '&#0;', '&amp;#27;[2J']) {
    const text = shown(frame.replaceAll('$', `x${sequence}y`));
    expect(text.replaceAll('\n', '').match(/\p{Cc}/gu)).toBeNull();
  }
});
