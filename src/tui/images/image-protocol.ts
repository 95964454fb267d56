/** How a terminal takes images: kitty's graphics protocol, or iTerm2's OSC 1337. */
export type ImageProtocol = 'kitty' | 'iterm2';

/** `images` in `config.json`. */
export type ImageSetting = 'auto' | 'off' | ImageProtocol;

const BY_TERM: Readonly<Record<string, ImageProtocol>> = { 'xterm-kitty': 'kitty', 'xterm-ghostty': 'kitty' };
const BY_PROGRAM: Readonly<Record<string, ImageProtocol>> = {
  'iTerm.app': 'iterm2',
  WezTerm: 'iterm2',
  ghostty: 'kitty',
};

/**
 * The protocol of the terminal, by the environment alone: an answer to a query may never come. undefined: images are
 * not shown. Behind a multiplexer they are not unless `setting` says so: it draws the screen itself.
 */
export function imageProtocol(
  setting: ImageSetting = 'auto',
  env: NodeJS.ProcessEnv,
): ImageProtocol | undefined {
  if (setting !== 'auto') return setting === 'off' ? undefined : setting;
  const { TERM = '', TERM_PROGRAM = '' } = env;
  const multiplexed = /^(?:screen|tmux)/.test(TERM) || TERM_PROGRAM === 'tmux';
  if (multiplexed || env.TMUX || env.STY || env.ZELLIJ) return undefined;
  if (Object.hasOwn(BY_TERM, TERM)) return BY_TERM[TERM];
  // A terminal started from kitty inherits its KITTY_WINDOW_ID.
  if (TERM_PROGRAM === '') return env.KITTY_WINDOW_ID ? 'kitty' : undefined;
  return Object.hasOwn(BY_PROGRAM, TERM_PROGRAM) ? BY_PROGRAM[TERM_PROGRAM] : undefined;
}
