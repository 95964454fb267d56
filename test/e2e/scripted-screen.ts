import { expect } from 'vitest';
import { SCRIPTED_MAIN } from './program.ts';
import { Terminal } from './pty.ts';
import { type Script, scripted } from './scripted.ts';

interface Start {
  readonly servers?: Readonly<Record<string, object>>;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly size?: { cols: number; rows: number };
}

/** The chat's screen with the scripted engine, once it reads the keyboard. */
export async function startScreen(script: Script, { servers = {}, args = [], env = {}, size }: Start = {}) {
  const place = scripted(script, servers);
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', ...args], place.dir, { ...place.env, ...env }, size);
  await terminal.shows('\u001b[?2004h');
  return terminal;
}

/** Every way out leaves bracketed paste off and the cursor shown. */
export function expectRestored(terminal: Terminal) {
  expect(terminal.screen.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
    terminal.screen.lastIndexOf('\u001b[?2004h'),
  );
  expect(terminal.screen.lastIndexOf('\u001b[?25h')).toBeGreaterThan(
    terminal.screen.lastIndexOf('\u001b[?25l'),
  );
}
