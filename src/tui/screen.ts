import { isDeepStrictEqual } from 'node:util';
import { type Instance, render } from 'ink';
import { createElement } from 'react';
import type { TurnEvent } from '../agent/events/turn-event.ts';
import type { Choice } from '../text/choice.ts';
import { stripControls } from '../text/clean/strip-controls.ts';
import { App } from './components/app.tsx';
import { drawnImage } from './images/drawn-image.ts';
import { type ImageSetting, imageProtocol } from './images/image-protocol.ts';
import type { Candidates } from './input/complete.ts';
import { Dialogue } from './input/dialogue.ts';
import type { EditorEffect } from './input/editor.ts';
import { editText } from './input/external-editor.ts';
import { type Key, Keyboard } from './input/keys.ts';
import { type LateCompletionsOptions, PromptEditor } from './input/prompt-editor.ts';
import type { PromptHistory } from './input/prompt-history.ts';
import type { ReplyView } from './markdown/reply-text.ts';
import { wrap } from './markdown/wrap.ts';
import { type Banner, bannerRows } from './state/banner.ts';
import type { FooterInfo, ScreenState, TurnStatus } from './state/screen-state.ts';
import { ThrottledFooter } from './state/throttled-footer.ts';
import { TurnView } from './state/turn-view.ts';
import type { Theme } from './style/theme.ts';
import { FrameClock, ResizeClock } from './terminal/clocks.ts';
import { InkTerminal, Window } from './terminal/ink-terminal.ts';
import { Painter } from './terminal/painter.ts';

const READY = "Ready. Type your prompt or 'quit' to exit.";
const IDLE: TurnStatus = { calls: [], working: undefined, thought: '' };
const NOTHING: ReadonlyMap<string, string> = new Map();
/** The most lines of a growing block that stay live. */
const MAX_LIVE = 12;

const ERASE_LINE_AND_BELOW = '\r\u001b[J';
const CLEAR = '\u001b[H\u001b[2J';
const BRACKETED_PASTE_ON = '\u001b[?2004h';
const BRACKETED_PASTE_OFF = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';

export interface ScreenOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly theme: Theme;
  readonly history: PromptHistory;
  /** Printed when the screen opens. */
  readonly banner?: Banner | undefined;
  /** Printed below the banner. */
  readonly notices?: readonly string[];
  readonly footer: () => FooterInfo;
  readonly candidates: () => Candidates;
  /** Completions that take time. */
  readonly findLate?: LateCompletionsOptions['find'];
  readonly env: NodeJS.ProcessEnv;
  /** Runs what blocks the program while another one has the terminal. */
  readonly blockedBy: <T>(work: () => T) => T;
  /** `images` in `config.json`. Default: auto. */
  readonly images?: ImageSetting | undefined;
  /** Called for keys that do more than edit. `end`: the terminal went away. */
  readonly onEffect: (effect: EditorEffect | { readonly type: 'end' }) => void;
}

/** Labelled lines are printed in one piece, so that a recording of the terminal can be searched for them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a label may be styled
const LABELLED = /^(?:\u001b\[[0-9;]*m|[▌│ ])*(?:prompt -> |assistant -> |\[\d\d:)/;

/** The chat's screen: owns the terminal from `start` to `stop`, draws with Ink, reads the keyboard. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #window: Window;
  readonly #terminal: InkTerminal;
  readonly #keyboard: Keyboard;
  readonly #turn: TurnView;
  readonly #frames = new FrameClock(() => this.flush());
  readonly #resizing = new ResizeClock(() => this.#redraw());
  readonly #dialogue = new Dialogue(() => this.flush());
  readonly #footer: ThrottledFooter;
  readonly #prompt: PromptEditor;
  #state: ScreenState | undefined;
  #app: Instance | undefined;
  /** Submitted prompts that hold pastes, and their text with the pastes folded. */
  readonly #folded = new Map<string, string>();
  #stopped = false;
  #suspended = false;
  busy = false;
  queue: readonly string[] = [];

  constructor(options: ScreenOptions) {
    this.#options = options;
    const { output, input, history, candidates, findLate } = options;
    const protocol = imageProtocol(options.images, options.env);
    this.#turn = new TurnView(undefined, (path, box) => protocol && drawnImage(path, protocol, box));
    const find = findLate ?? (() => undefined);
    this.#prompt = new PromptEditor({ history, candidates, find, onChange: () => this.draw() });
    this.#keyboard = new Keyboard(input, {
      onKeys: keys => this.#handle(keys),
      onEnd: () => options.onEffect({ type: 'end' }),
    });
    this.#window = new Window(output, () => this.#frames.written());
    this.#terminal = new InkTerminal(this.#window, new Painter(this.#window, line => LABELLED.test(line)));
    this.#footer = new ThrottledFooter(options.footer);
  }

  start(): void {
    this.#takeTerminal();
    this.#options.output.on('resize', this.#resized);
    this.#greet();
    this.#state = this.#compose(IDLE);
    this.#app = render(this.#element(this.#state), {
      stdout: this.#terminal as unknown as NodeJS.WriteStream,
      stdin: this.#options.input,
      exitOnCtrlC: false,
      patchConsole: false,
      interactive: true,
      // Each frame is written when it is rendered, as plain lines: FrameClock and Painter do the rest.
      debug: true,
    });
    this.flush();
  }

  /** Gives the terminal back in cooked mode, cursor shown, live region erased. Synchronous and idempotent. */
  stop(): void {
    if (this.#stopped) return;
    this.#resizing.finish();
    this.#prompt.close();
    this.#dialogue.close();
    try {
      this.flush();
    } catch {
      // It may be why the program ends: the terminal is given back all the same.
    }
    this.#stopped = true;
    this.#frames.stop();
    this.#app?.unmount();
    this.#options.output.off('resize', this.#resized);
    if (!this.#suspended) this.#giveTerminal();
  }

  /** Leaves the terminal to somebody else, in its normal mode, until the returned function is called. */
  suspend(): () => void {
    if (this.#stopped || this.#suspended) return () => undefined;
    this.#resizing.finish();
    this.flush();
    this.#suspended = true;
    this.#giveTerminal();
    return () => {
      if (this.#stopped || !this.#suspended) return;
      this.#suspended = false;
      this.#takeTerminal();
      this.flush();
      this.#terminal.resume();
    };
  }

  /**
   * Prints finished text.
   * @param apart a blank line above it, whatever stands there
   */
  print(text: string, apart = false): void {
    this.#turn.print(stripControls(text), this.#replyView(), apart);
    this.draw();
  }

  notice(text: string): void {
    this.#turn.notice(stripControls(`Notice: ${text}`), this.#replyView());
    this.draw();
  }

  error(text: string): void {
    this.#turn.error(stripControls(`Error: ${text}`), this.#replyView());
    this.draw();
  }

  /** Asks in the place of the prompt; resolves with the word chosen, undefined on Esc and when `signal` aborts. */
  choose(title: string, choices: readonly Choice[], start: string, signal?: AbortSignal) {
    return this.#waiting(this.#dialogue.choose(title, choices, start, signal));
  }

  /** Lets the user edit a text in the place of the prompt; undefined on Esc and when `signal` aborts. */
  editText(label: string, text: string, signal?: AbortSignal) {
    return this.#waiting(this.#dialogue.editText(label, text, signal));
  }

  /** The user's time is not the running call's. */
  async #waiting<T>(dialogue: Promise<T>): Promise<T> {
    const asked = Date.now();
    const answered = await dialogue;
    this.#turn.waited(Date.now() - asked);
    return answered;
  }

  begin(prompt: string): void {
    this.echo(prompt);
    this.#turn.begin();
  }

  /** Prints a prompt as it was typed, its pastes folded. It may come from a file. */
  echo(prompt: string): void {
    const shown = stripControls(prompt);
    const folded = this.#folded.get(shown);
    this.#folded.delete(shown);
    this.#turn.prompt(folded ?? shown, this.#replyView());
    this.draw();
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
    if (!this.#stopped && !this.#suspended && !this.#resizing.running) this.#frames.request();
  }

  /** Draws what has changed: the conversation, and through React what stands below it. */
  flush(): void {
    this.#frames.stop();
    if (this.#stopped || this.#suspended || this.#resizing.running || !this.#state) return;
    this.#frames.begin();
    const { finished, growing, status } = this.#turn.take(this.#replyView());
    const state = this.#compose(status, growing.length);
    this.#terminal.show(finished, growing);
    if (!isDeepStrictEqual(state, this.#state)) {
      this.#state = state;
      this.#app?.rerender(this.#element(state));
    }
    this.#terminal.flush();
  }

  /** Holds everything back until the window has its size. */
  readonly #resized = (): void => {
    if (this.#suspended) return;
    this.#resizing.resized();
    this.#terminal.hold();
  };

  /** After a resize, or on a cleared terminal. */
  #redraw(): void {
    if (this.#suspended) return;
    this.#terminal.erase();
    this.flush();
    this.#terminal.restore();
  }

  #greet(): void {
    const { banner, notices = [], theme } = this.#options;
    const { textColumns } = this.#window;
    if (banner)
      this.#turn.printRows([...bannerRows(banner, textColumns, theme), ...wrap(READY, textColumns)]);
    for (const notice of notices) this.#turn.notice(notice, this.#replyView());
  }

  #element(state: ScreenState) {
    return createElement(App, { state, theme: this.#options.theme, onCursor: this.#terminal.place });
  }

  #replyView(): ReplyView {
    const { columns, textColumns: width, rows } = this.#window;
    return { width, columns, height: Math.max(1, Math.min(MAX_LIVE, rows - 6)), theme: this.#options.theme };
  }

  #compose(turn: TurnStatus, growing = 0): ScreenState {
    return {
      window: { columns: this.#window.textColumns, rows: this.#window.rows },
      growing: this.#dialogue.view ? growing : 0,
      // While the user is asked, nothing runs.
      turn: this.#dialogue.view ? { ...turn, calls: [], working: undefined } : turn,
      dialogue: this.#dialogue.view && { ...this.#dialogue.view },
      queue: this.queue.map(text => this.#folded.get(stripControls(text)) ?? text),
      editor: this.#prompt.state,
      about: (this.#prompt.state.menu && this.#options.candidates().about) ?? NOTHING,
      footer: this.#footer.at(Date.now(), this.busy),
    };
  }

  #handle(keys: readonly Key[]): void {
    for (const key of keys) {
      const effect = this.#dialogue.view ? this.#dialogue.key(key) : this.#prompt.key(key, this.busy);
      if (effect) this.#perform(effect);
      if (this.#stopped) return;
    }
    this.draw();
  }

  #perform(effect: EditorEffect): void {
    if (effect.type === 'submit' && effect.folded !== undefined)
      this.#folded.set(stripControls(effect.text), stripControls(effect.folded));
    if (effect.type === 'redraw') {
      this.#options.output.write(CLEAR);
      this.#terminal.cleared();
      this.#redraw();
    } else if (effect.type === 'editor') this.#editOutside();
    else this.#options.onEffect(effect);
  }

  /** Blocks the program while the editor is open, so not during a turn: its tool calls would time out. */
  #editOutside(): void {
    if (this.busy) {
      this.notice('the editor can be opened when the turn is over.');
      return;
    }
    const { env, blockedBy } = this.#options;
    const resume = this.suspend();
    const edited = blockedBy(() => editText(this.#prompt.text, env));
    resume();
    if ('problem' in edited) this.notice(edited.problem);
    else this.#prompt.edited(edited.text);
    this.flush();
  }

  #takeTerminal(): void {
    this.#keyboard.open();
    // Erase what was typed ahead: the terminal echoed it.
    this.#options.output.write(`${ERASE_LINE_AND_BELOW}${BRACKETED_PASTE_ON}`);
  }

  #giveTerminal(): void {
    this.#terminal.suspend();
    this.#options.output.write(`${BRACKETED_PASTE_OFF}${SHOW_CURSOR}`);
    this.#keyboard.close();
  }
}
