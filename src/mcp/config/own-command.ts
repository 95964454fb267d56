import { fileURLToPath } from 'node:url';

/** The command line of a program. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Lets an entry say `"command": "llm-host"` for a bundled server although no `llm-host` is on the PATH:
 * this package's own program, run by this Node, takes its place.
 */
export function resolveOwnCommand(line: CommandLine, main = ownMain(import.meta.url)): CommandLine {
  return line.command === 'llm-host' ? { command: process.execPath, args: [main, ...line.args] } : line;
}

/** Compiled, this module is `dist/mcp/config/own-command.js`; run from the sources, the compiled program is meant too. */
export function ownMain(moduleUrl: string): string {
  const fromSources = moduleUrl.endsWith('.ts');
  return fileURLToPath(new URL(fromSources ? '../../../dist/cli/main.js' : '../../cli/main.js', moduleUrl));
}
