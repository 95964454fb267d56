/** Whether a client means the served model: its id, the last part of it, either with Ollama's `:latest`. */
export function matchesModel(id: string, asked: string): boolean {
  const name = asked.replace(/:latest$/, '');
  return name === id || name === id.split('/').at(-1);
}
