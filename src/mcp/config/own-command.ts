import { fileURLToPath } from 'node:url';

/** A program's command line. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Lets an entry say `"command": "llm-host"` for a bundled server even if no `llm-host` is on the PATH: this package's
 * program, run by this Node, is used instead.
 */
export function resolveOwnCommand(line: CommandLine, main = ownMain(import.meta.url)): CommandLine {
  return line.command === 'llm-host' ? { command: process.execPath, args: [main, ...line.args] } : line;
}

/** The words after `llm-host` of a resolved command line; undefined: it runs another program. */
export function ownArguments({ command, args }: CommandLine): readonly string[] | undefined {
  const [main, ...words] = args;
  return command === process.execPath && main === ownMain(import.meta.url) ? words : undefined;
}

/**
 * Compiled, this module is `dist/mcp/config/own-command.js`; run from source, it still means the compiled program.
 */
export function ownMain(moduleUrl: string): string {
  const fromSources = moduleUrl.endsWith('.ts');
  return fileURLToPath(new URL(fromSources ? '../../../dist/cli/main.js' : '../../cli/main.js', moduleUrl));
}
