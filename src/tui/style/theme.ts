export type Paint = (text: string) => string;

/** Styles of the screen's parts. Uses only the 16 ANSI colours, so the terminal's palette applies. */
export interface Theme {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly strike: Paint;
  readonly heading: Paint;
  readonly code: Paint;
  readonly link: Paint;
  readonly keyword: Paint;
  readonly string: Paint;
  readonly number: Paint;
  readonly comment: Paint;
  /** Colours of the marks next to a role's lines, and of tool calls. */
  readonly user: Paint;
  readonly thought: Paint;
  readonly tool: Paint;
  readonly notice: Paint;
  readonly error: Paint;
}

export type ThemeName = 'dark' | 'light' | 'none';

const sgr =
  (open: string, close: string): Paint =>
  text =>
    text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`;

const ATTRIBUTES = {
  bold: sgr('1', '22'),
  dim: sgr('2', '22'),
  italic: sgr('3', '23'),
  strike: sgr('9', '29'),
};

const color = (code: number): Paint => sgr(String(code), '39');

const NONE: Theme = {
  ...ATTRIBUTES,
  heading: ATTRIBUTES.bold,
  code: ATTRIBUTES.bold,
  link: sgr('4', '24'),
  keyword: ATTRIBUTES.bold,
  string: text => text,
  number: text => text,
  comment: ATTRIBUTES.dim,
  user: text => text,
  thought: ATTRIBUTES.dim,
  tool: text => text,
  notice: text => text,
  error: ATTRIBUTES.bold,
};

const THEMES: Readonly<Record<ThemeName, Theme>> = {
  none: NONE,
  dark: {
    ...NONE,
    heading: text => ATTRIBUTES.bold(color(36)(text)),
    code: color(36),
    link: color(94),
    keyword: color(35),
    string: color(32),
    number: color(33),
    comment: color(90),
    user: color(94),
    tool: color(36),
    notice: color(33),
    error: color(91),
  },
  light: {
    ...NONE,
    heading: text => ATTRIBUTES.bold(color(34)(text)),
    code: color(34),
    link: color(34),
    keyword: color(35),
    string: color(32),
    number: color(31),
    comment: color(90),
    user: color(34),
    tool: color(36),
    notice: color(35),
    error: color(31),
  },
};

/** Terminals with a light background set `COLORFGBG` (`0;15`). Without it: dark, which is readable on both. */
export function chooseTheme(wanted: string | undefined, colors: boolean, env: NodeJS.ProcessEnv): Theme {
  if (!colors || env.NO_COLOR || wanted === 'none') return THEMES.none;
  if (wanted === 'light' || wanted === 'dark') return THEMES[wanted];
  const background = Number(env.COLORFGBG?.split(';').at(-1) || Number.NaN);
  return background === 7 || background >= 9 ? THEMES.light : THEMES.dark;
}
