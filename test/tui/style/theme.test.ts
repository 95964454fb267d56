import { expect, test } from 'vitest';
import { chooseTheme, type Theme } from '../../../src/tui/style/theme.ts';

/** Every part of a theme, painted. */
const painted = (theme: Theme) =>
  Object.values(theme)
    .map(paint => paint('x'))
    .join('');
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
const colours = (theme: Theme) => [...painted(theme).matchAll(/\u001b\[(3\d|9\d)/g)].map(match => match[1]);
const of = (wanted: string | undefined, env: NodeJS.ProcessEnv = {}, colors = true) =>
  painted(chooseTheme(wanted, colors, env));

test.each([
  ['--no-color', of(undefined, {}, false), 'none'],
  ['NO_COLOR, whatever config.json says', of('dark', { NO_COLOR: '1' }), 'none'],
  ['nothing', of(undefined), 'dark'],
  ['a dark ground', of('auto', { COLORFGBG: '15;0' }), 'dark'],
  ['a light ground', of('auto', { COLORFGBG: '0;15' }), 'light'],
  ['a light ground, in the form of rxvt', of('auto', { COLORFGBG: '0;default;15' }), 'light'],
  ['a ground that makes no sense', of('auto', { COLORFGBG: 'x' }), 'dark'],
  ['a theme that was asked for', of('light', { COLORFGBG: '15;0' }), 'light'],
])('%s', (_name, got, wanted) => {
  expect(got).toBe(of(wanted));
});

test('dark and light differ; both use the 16 colours of every terminal, none uses no colour', () => {
  const [dark, light, none] = ['dark', 'light', 'none'].map(name => chooseTheme(name, true, {}));
  expect(of('dark')).not.toBe(of('light'));
  for (const theme of [dark, light] as Theme[]) {
    expect(colours(theme).length).toBeGreaterThan(5);
    for (const code of colours(theme)) expect(code).toMatch(/^(3[0-79]|9[0-7])$/);
  }
  // Yellow and the bright colours cannot be read on white.
  expect(colours(light as Theme).filter(code => /^(33|9[1-7])$/.test(code ?? ''))).toEqual([]);
  expect(colours(none as Theme)).toEqual([]);
});
