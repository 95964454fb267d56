import { expect, it } from 'vitest';
import { imageProtocol } from '../../../src/tui/images/image-protocol.ts';

it.each([
  [{ TERM: 'xterm-kitty' }, 'kitty'],
  [{ TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }, 'kitty'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty' }, 'kitty'],
  [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
  [{}, undefined],
  [{ TERM: 'xterm-256color' }, undefined],
  [{ TERM: 'linux' }, undefined],
  [{ TERM: 'toString', TERM_PROGRAM: 'constructor' }, undefined],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, undefined],
  // An editor that was started from kitty has a terminal of its own.
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', KITTY_WINDOW_ID: '1' }, undefined],
  [{ TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }, undefined],
  [{ TERM: 'screen.xterm-256color', TERM_PROGRAM: 'iTerm.app' }, undefined],
  [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux-0/default,1,0' }, undefined],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'tmux', KITTY_WINDOW_ID: '1' }, undefined],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app', STY: '1.pts-0' }, undefined],
  [{ TERM: 'xterm-kitty', ZELLIJ: '0' }, undefined],
])('%o: %s', (env, protocol) => {
  expect(imageProtocol(undefined, env)).toBe(protocol);
  expect(imageProtocol('auto', env)).toBe(protocol);
  expect(imageProtocol('off', env)).toBeUndefined();
  expect(imageProtocol('iterm2', env)).toBe('iterm2');
});
