/** Starts `llm-host serve demo` on a free port, in a home of its own; `stop` gives its exit code. */
export function serveDemo(
  args?: readonly string[],
  nodeArgs?: readonly string[],
): Promise<{ readonly url: string; readonly pid: number; readonly stop: () => Promise<number> }>;
