/** `title: description`, as far as there are; without a title that only repeats the name (`read_file`: `Read file`). */
export function titledText(name: string, title: string | undefined, description: string | undefined): string {
  const own = title !== undefined && letters(title) !== letters(name) ? title : undefined;
  return [own, description].filter(Boolean).join(': ');
}

/** `name (server): title: description`, without a colon behind which nothing would stand. */
export function describedTool(
  name: string,
  server: string,
  title: string | undefined,
  description: string | undefined,
): string {
  const text = titledText(name, title, description);
  return `${name} (${server})${text === '' ? '' : `: ${text}`}`;
}

/** Names of no such characters are compared as they are. */
function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || text;
}
