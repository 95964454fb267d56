/** A notice for terminals whose locale names another character set than UTF-8. */
export function localeNotice(env: NodeJS.ProcessEnv): string | undefined {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const charset = /\.([^@]+)/.exec(locale)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  return `the locale ${locale} is not UTF-8, which this program reads and writes; set LANG=C.UTF-8 if letters look wrong`;
}
