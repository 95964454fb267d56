import { spawn } from 'node:child_process';

export interface ClipboardPlace {
  readonly terminal: { write(sequence: string): void } | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** Terminals drop longer sequences without a word. */
const MAX_SEQUENCE_BYTES = 74_994;
/** Milliseconds for a program that takes the clipboard. */
const LIMIT_MS = 2000;

/**
 * Copies a text by the clipboard program of the desktop, and by the terminal (OSC 52), which also works over ssh.
 * Whether a terminal obeys cannot be known.
 */
export async function copyText(
  text: string,
  { terminal, env, platform }: ClipboardPlace,
): Promise<{ used: string[]; problems: string[] }> {
  const [used, problems]: [string[], string[]] = [[], []];
  for (const [program, ...args] of programs(env, platform)) {
    const problem = await pipeInto(program, args, text);
    if (problem === undefined) {
      used.push(program);
      break;
    }
    problems.push(problem);
  }
  const bytes = Buffer.byteLength(text);
  if (terminal === undefined) problems.push('there is no terminal to ask');
  else if (bytes > MAX_SEQUENCE_BYTES)
    problems.push(`${bytes} bytes are more than a terminal takes (${MAX_SEQUENCE_BYTES})`);
  else {
    terminal.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    used.push('the terminal (OSC 52, if it allows it)');
  }
  return { used, problems };
}

function programs(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): (readonly [string, ...string[]])[] {
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [['clip']];
  return [
    ...(env.WAYLAND_DISPLAY ? [['wl-copy'] as const] : []),
    ...(env.DISPLAY ? [['xclip', '-selection', 'clipboard'] as const, ['xsel', '-ib'] as const] : []),
    ...(env.WSL_DISTRO_NAME ? [['clip.exe'] as const] : []),
  ];
}

/** Resolves with why it failed. Some of them stay behind to hold the clipboard, so their output is not waited for. */
function pipeInto(program: string, args: readonly string[], text: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    const limit = setTimeout(() => {
      child.kill();
      resolve(`${program} did not answer`);
    }, LIMIT_MS);
    const end = (problem?: string) => {
      clearTimeout(limit);
      resolve(problem);
    };
    child.on('error', error => end(`${program}: ${error.message}`));
    child.on('exit', code => end(code === 0 ? undefined : `${program} ended with ${code ?? 'a signal'}`));
    // It may end without reading everything; its exit code says whether it worked.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}
