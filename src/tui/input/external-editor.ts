import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quoted } from '../../text/clean/visible.ts';

/** How a shell says so. */
const NOT_FOUND = 127;

/** Opens a text in `$VISUAL` or `$EDITOR`. Blocks; the terminal must be in its normal mode. */
export function editText(text: string, env: NodeJS.ProcessEnv): { text: string } | { problem: string } {
  const command = env.VISUAL || env.EDITOR;
  if (!command) return { problem: 'set VISUAL or EDITOR to edit the prompt in an editor' };
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-prompt-'));
  const path = join(folder, 'prompt.md');
  try {
    writeFileSync(path, text, { mode: 0o600 });
    // The variables may hold arguments too. Ctrl+C is for the editor, and the shell that waits for it gets it as well.
    const script = `trap : INT; ${command} "$0"`;
    const { status, error } = spawnSync('sh', ['-c', script, path], { stdio: 'inherit' });
    const editor = `the editor ${quoted(command)}`;
    if (error) return { problem: `${editor} cannot be started: ${error.message}` };
    if (status === NOT_FOUND) return { problem: `${editor} cannot be found; set VISUAL or EDITOR` };
    const how = status === null ? 'by a signal' : `with exit code ${status}`;
    if (status !== 0) return { problem: `${editor} ended ${how}; the prompt is unchanged` };
    return { text: readFileSync(path, 'utf8').trimEnd() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
