/** Whether a client means the served model: its id or the last part of it, optionally with `:latest`. */
export function matchesModel(id: string, asked: string): boolean {
  const name = asked.replace(/:latest$/, '');
  return name === id || name === id.split('/').at(-1);
}
