import { type Instance, render } from 'ink';
import { createElement } from 'react';
import stringWidth from 'string-width';
import type { TurnEvent } from '../agent/events/turn-event.ts';
import { App, type FinishedItem, type LiveView, type ViewSource } from './app.tsx';
import { type Candidates, complete } from './complete.ts';
import { type EditorEffect, type EditorState, EMPTY, edit, expandPastes, withText } from './editor.ts';
import { editText } from './external-editor.ts';
import { FrameClock } from './frame-clock.ts';
import { frameMark, InkOutput } from './ink-output.ts';
import { type Key, KeyDecoder } from './keys.ts';
import { cut, editorLines, type Footer, footerLine, menuLines, queueLines } from './layout.ts';
import { Painter } from './painter.ts';
import type { PromptHistory } from './prompt-history.ts';
import type { ReplyView } from './reply-text.ts';
import type { Theme } from './theme.ts';
import { TurnView } from './turn-view.ts';

/** An escape that nothing follows within this time is the key. */
const ESCAPE_MS = 40;
const SPIN_MS = 125;
/** Lines of a growing block that stay live. */
const MAX_LIVE = 12;

const ENTER_MODES = '\u001b[?2004h';
const NEWLINE = 10;
const RETURN = 13;
const LEAVE_MODES = '\u001b[?2004l\u001b[?25h';

export interface ScreenOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly theme: Theme;
  readonly history: PromptHistory;
  readonly footer: () => Footer;
  readonly candidates: () => Candidates;
  readonly env: NodeJS.ProcessEnv;
  /** Everything the keyboard asks for but editing. `end` is a terminal that went away. */
  readonly onEffect: (effect: EditorEffect | { readonly type: 'end' }) => void;
}

/** Lines with the labels of the console format: printed in one piece, so that they can be searched for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a label may be styled
const LABELLED = /^(?:\u001b\[[0-9;]*m)*(?:prompt -> |assistant -> |\[\d\d:)/;

/** The chat's screen: owns the terminal from `start` to `stop`, draws with Ink, reads the keyboard. */
export class Screen implements ViewSource {
  readonly #options: ScreenOptions;
  readonly #painter: Painter;
  readonly #ink: InkOutput;
  readonly #turn = new TurnView();
  readonly #keys = new KeyDecoder();
  readonly #listeners = new Set<() => void>();
  #app: Instance | undefined;
  #editor: EditorState = EMPTY;
  #finished: FinishedItem[] = [];
  #view: LiveView | undefined;
  readonly #frames = new FrameClock(() => this.flush());
  #escape: NodeJS.Timeout | undefined;
  #spin: NodeJS.Timeout | undefined;
  #stopped = false;
  #suspended = false;
  #aheadOfScreen = false;
  #epoch = 0;
  busy = false;
  queue: readonly string[] = [];

  constructor(options: ScreenOptions) {
    this.#options = options;
    const { output } = options;
    const terminal = {
      get columns() {
        return output.columns || 80;
      },
      get rows() {
        return output.rows || 24;
      },
      write: (text: string) => {
        output.write(text);
        this.#frames.written();
      },
    };
    this.#painter = new Painter(terminal, line => LABELLED.test(line));
    this.#ink = new InkOutput(terminal, this.#painter);
  }

  start(): void {
    this.#takeTerminal();
    this.#options.output.on('resize', this.#resized);
    this.#spin = setInterval(() => {
      if (this.#turn.moving) this.draw();
    }, SPIN_MS);
    this.#spin.unref();
    this.#app = render(this.#element(), {
      stdout: this.#ink as unknown as NodeJS.WriteStream,
      stdin: this.#options.input,
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: 60,
    });
  }

  /** Gives the terminal back: cooked mode, cursor shown, the live region gone. At once, and idempotent. */
  stop(): void {
    if (this.#stopped) return;
    this.flush();
    // Draws what React has only taken note of so far.
    this.#app?.rerender(this.#element());
    this.#stopped = true;
    this.#frames.stop();
    clearInterval(this.#spin);
    this.#app?.unmount();
    this.#options.output.off('resize', this.#resized);
    this.#leaveTerminal();
  }

  /** Leaves the terminal to somebody else, in its normal mode, until the returned function is called. */
  suspend(): () => void {
    if (this.#stopped || this.#suspended) return () => undefined;
    this.flush();
    this.#app?.rerender(this.#element());
    this.#suspended = true;
    this.#forget();
    this.#leaveTerminal();
    return () => {
      this.#suspended = false;
      if (this.#stopped) return;
      this.#takeTerminal();
      this.flush();
      this.#app?.rerender(this.#element());
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): LiveView => {
    this.#view ??= this.#compose();
    return this.#view;
  };

  /** Prints finished text. */
  print(text: string): void {
    this.#turn.print(text, this.#replyView());
    this.draw();
  }

  begin(prompt: string): void {
    this.print(this.#options.theme.bold(`prompt -> ${prompt}`));
    this.#turn.begin();
  }

  event(event: TurnEvent): void {
    this.#turn.add(event, this.#replyView());
    if (event.type === 'token' || event.type === 'thinking') this.draw();
    else this.flush();
  }

  end(): void {
    this.#turn.end(this.#replyView());
    this.flush();
  }

  set showThinking(shown: boolean) {
    this.#turn.showThinking = shown;
  }

  /** Draws at the next frame. */
  draw(): void {
    if (!this.#stopped && !this.#suspended) this.#frames.request();
  }

  /** Draws now. */
  flush(): void {
    this.#frames.stop();
    if (this.#stopped || this.#suspended) return;
    this.#frames.begin();
    this.#view = undefined;
    for (const listener of this.#listeners) listener();
  }

  #element() {
    return createElement(App, { source: this });
  }

  #replyView(): ReplyView {
    const { columns, rows } = this.#size();
    return { width: columns, height: Math.max(1, Math.min(MAX_LIVE, rows - 6)), theme: this.#options.theme };
  }

  #size() {
    return { columns: this.#options.output.columns || 80, rows: this.#options.output.rows || 24 };
  }

  #compose(): LiveView {
    const size = this.#size();
    const { theme } = this.#options;
    const { finished, live } = this.#turn.take(this.#replyView());
    this.#finish(finished);
    const { lines, cursor } = editorLines(this.#editor, size);
    const room = Math.max(1, size.rows - 1) - lines.length;
    const footer = room > 1 ? footerLine(this.#options.footer(), size.columns, theme) : '';
    const menu = menuLines(this.#editor, size.columns, theme).slice(0, Math.max(0, room - 2));
    const queue = queueLines(this.queue, size.columns, theme).slice(0, Math.max(0, room - menu.length - 3));
    const left = Math.max(0, room - menu.length - queue.length - (footer === '' ? 0 : 1));
    const reply = left === 0 ? [] : live.slice(-left).map(line => cut(line, size.columns));
    const place = { row: reply.length + queue.length + cursor.row, column: cursor.column };
    const mark = frameMark(place, this.#epoch);
    return { mark, finished: this.#finished, reply, queue, editor: lines, menu, footer };
  }

  #finish(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = lines.map(line => line || ' ').join('\n');
    const width = Math.max(1, ...lines.map(line => stringWidth(line)));
    this.#finished = [...this.#finished, { id: this.#finished.length, text, width }];
  }

  readonly #resized = (): void => {
    this.#forget();
    this.flush();
  };

  /** The live region is gone from the terminal: it is drawn again even if it has not changed. */
  #forget(): void {
    this.#painter.forget();
    this.#epoch += 1;
  }

  readonly #typed = (bytes: Buffer): void => {
    clearTimeout(this.#escape);
    // A terminal that was not raw yet has turned Enter into a newline, which is Ctrl+J here.
    const keys = this.#aheadOfScreen ? bytes.map(byte => (byte === NEWLINE ? RETURN : byte)) : bytes;
    this.#handle(this.#keys.push(keys));
    if (!this.#keys.undecided) return;
    this.#escape = setTimeout(() => this.#handle(this.#keys.flush()), ESCAPE_MS);
  };

  readonly #ended = (): void => this.#options.onEffect({ type: 'end' });

  #handle(keys: readonly Key[]): void {
    const { history, candidates } = this.#options;
    for (const key of keys) {
      const { state, effect } = edit(this.#editor, key, {
        history: history.entries,
        busy: this.busy,
        complete: (text, cursor) => complete(text, cursor, candidates()),
      });
      this.#editor = state;
      if (effect) this.#perform(effect);
      if (this.#stopped) return;
    }
    this.draw();
  }

  #perform(effect: EditorEffect): void {
    if (effect.type === 'submit') this.#options.history.add(effect.text);
    if (effect.type === 'redraw') this.#options.output.write('\u001b[H\u001b[2J');
    if (effect.type === 'redraw') this.#resized();
    else if (effect.type === 'editor') this.#editOutside();
    else this.#options.onEffect(effect);
  }

  /** The program stands still meanwhile, which no call of a tool could bear. */
  #editOutside(): void {
    if (this.busy) {
      this.print('Notice: the editor can be opened when the turn is over.');
      return;
    }
    const { env } = this.#options;
    const resume = this.suspend();
    const edited = editText(expandPastes(this.#editor), env);
    resume();
    if ('problem' in edited) this.print(`Notice: ${edited.problem}`);
    else this.#editor = withText({ ...this.#editor, pastes: [] }, edited.text);
    this.flush();
  }

  #takeTerminal(): void {
    const { input, output } = this.#options;
    input.setRawMode(true);
    input.on('data', this.#typed);
    input.on('end', this.#ended);
    input.resume();
    // What was typed before stands at the begin of the line: the terminal has echoed it.
    output.write(`\r\u001b[J${ENTER_MODES}`);
    // What was typed before is read in the next two rounds of the event loop.
    this.#aheadOfScreen = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#aheadOfScreen = false;
      }),
    );
  }

  #leaveTerminal(): void {
    const { input, output } = this.#options;
    input.off('data', this.#typed);
    input.off('end', this.#ended);
    if (this.#stopped) this.#forget();
    output.write(LEAVE_MODES);
    input.setRawMode(false);
    input.pause();
  }
}
