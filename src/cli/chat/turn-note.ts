import { stripControls } from '../../text/clean/strip-controls.ts';
import { stripInvisible } from '../../text/clean/strip-invisible.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { AppConfig } from '../settings/config-file.ts';

/** How the end of a long turn is announced to somebody who looks elsewhere. */
export interface TurnNote {
  readonly kind: 'bell' | 'osc9' | 'osc777';
  /** Turns that took at least so long, in seconds. */
  readonly after: number;
}

const DEFAULT_SECONDS = 10;
const MAX_CHARS = 100;
const NAME = 'llm-host';

/** From command line and config.json; undefined, the default: nothing is told. */
export function turnNoteOf(
  { notify, notifyAfter }: Pick<ChatArguments, 'notify' | 'notifyAfter'>,
  config: Pick<AppConfig, 'notify'>,
): TurnNote | undefined {
  const wanted = notify !== undefined || notifyAfter !== undefined || config.notify !== undefined;
  const kind = notify ?? config.notify?.with ?? 'bell';
  if (!wanted || kind === 'off') return undefined;
  return { kind, after: notifyAfter ?? config.notify?.after ?? DEFAULT_SECONDS };
}

/** The sequence for the terminal: BEL, or a desktop notification with the beginning of the reply. */
export function noteSequence(kind: TurnNote['kind'], reply: string): string {
  if (kind === 'bell') return '\u0007';
  // Semicolons separate the fields of OSC 777.
  const plain = stripInvisible(stripControls(reply))
    .replaceAll(/[\s;]+/g, ' ')
    .trim();
  const text = Array.from(plain).slice(0, MAX_CHARS).join('') || 'the turn is over';
  // The name in front: text that begins with a number means other things to OSC 9.
  if (kind === 'osc9') return `\u001b]9;${NAME}: ${text}\u0007`;
  return `\u001b]777;notify;${NAME};${text}\u0007`;
}
