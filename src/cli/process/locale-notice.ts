/** What to tell on a terminal whose character set is named and is not UTF-8, which is all that this program writes. */
export function localeNotice(env: NodeJS.ProcessEnv): string | undefined {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const charset = /\.([^@]+)/.exec(locale)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  return `the locale ${locale} is not UTF-8, which is what is written and read here; set LANG=C.UTF-8 if letters look wrong`;
}
