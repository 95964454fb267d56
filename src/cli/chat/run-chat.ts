import type { OpenModel } from '../../run/open-model.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { ChatArguments } from '../options/option-table.ts';
import { shareTerminal } from '../process/questions.ts';
import type { Signals } from '../process/signals.ts';
import { localeNotice } from '../process/terminal.ts';
import { answerOnce } from './answer-once.ts';
import { chatInJson } from './json-chat.ts';
import { LineSession } from './line-session.ts';
import { type OpenChat, openChat } from './open-chat.ts';
import { turnNoteOf } from './turn-note.ts';

/** `llm-host <model>`: start-up, then a chat on stdin and stdout, or one prompt. Resolves with the exit code. */
export async function runChat(args: ChatArguments, openModel: OpenModel, signals: Signals): Promise<number> {
  if (args.json) return await chatInJson(args, openModel, signals);
  const onTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const screen = args.prompt === undefined && wantsScreen(args.plain === true, process.env, onTerminal);
  const showTyping = screen ? hideTyping(signals) : () => undefined;
  const started = await openChat(args, openModel);
  signals.addCleanup(started.close);
  let code: number | undefined;
  try {
    code = await converse(args, started, signals, { screen, onTerminal, showTyping });
    return code;
  } finally {
    // At a keyboard Ctrl+C ends a chat with 0, also one that is over already.
    const ended = onTerminal && args.prompt === undefined && code === 0;
    signals.closing(ended ? 0 : undefined);
    await started.close();
  }
}

async function converse(
  args: ChatArguments,
  started: OpenChat,
  signals: Signals,
  { screen, onTerminal, showTyping }: { screen: boolean; onTerminal: boolean; showTyping: () => void },
): Promise<number> {
  const { session } = started;
  const locale = process.stdout.isTTY ? localeNotice(process.env) : undefined;
  const notices = [...started.notices, ...(locale === undefined ? [] : [`Notice: ${locale}`])].map(
    stripControls,
  );
  const note = turnNoteOf(args, started.settings.config);
  // The screen has both in a better shape; a file gets them in any case.
  const aloud = !screen || process.stderr.isTTY !== true;
  if (aloud && !args.quiet) process.stderr.write(stripControls([...started.summary, ''].join('\n')));
  if (aloud) for (const notice of notices) process.stderr.write(`${notice}\n`);
  if (args.prompt !== undefined) return await answerOnce(session, args.prompt, signals);
  if (!screen) {
    const answersAlone = !onTerminal && !args.plain;
    const lines = answersAlone ? process.stderr : process.stdout;
    if (!args.quiet) lines.write("Ready. Type your prompt or 'quit' to exit.\n");
    return await new LineSession({ session, signals, answersAlone, note }).run();
  }
  // Otherwise React runs its development checks and profiling.
  process.env.NODE_ENV ??= 'production';
  forgetUnsetCi(process.env);
  const { ScreenSession } = await import('./screen-session.ts');
  const { theme, images } = started.settings.config;
  const colors = args.color !== false;
  const quiet = args.quiet === true;
  const shown = aloud ? [] : notices;
  const chat = new ScreenSession({
    session,
    signals,
    theme,
    images,
    colors,
    quiet,
    note,
    notices: shown,
  });
  showTyping();
  return await chat.run();
}

/** Hides what is typed before the screen is up, which appears in its prompt, until the returned function is called. */
function hideTyping(signals: Signals): () => void {
  const show = signals.hideTyping();
  shareTerminal(() => {
    show();
    return () => void signals.hideTyping();
  });
  return () => {
    shareTerminal(undefined);
    show();
  };
}

/** Variables by which CI services say so, and by which Ink decides to draw nothing. */
const CI_VARIABLES = ['CI', 'CONTINUOUS_INTEGRATION'] as const;

/** The Ink screen needs a terminal with cursor control on both ends, and a person in front of it. */
export function wantsScreen(plain: boolean, env: NodeJS.ProcessEnv, onTerminal: boolean): boolean {
  return onTerminal && !plain && env.TERM !== 'dumb' && !CI_VARIABLES.some(name => isSet(env[name]));
}

/** Call before Ink is imported: it takes an empty variable for CI. */
export function forgetUnsetCi(env: NodeJS.ProcessEnv): void {
  for (const name of CI_VARIABLES) if (!isSet(env[name])) delete env[name];
}

const isSet = (value: string | undefined): boolean => !['', '0', 'false'].includes(value ?? '');
