import { StringDecoder } from 'node:string_decoder';

/** Typed text, a paste, or a key such as `enter`, `ctrl+a`, `alt+b`, `shift+tab`. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'key'; readonly name: string };

const PASTE_START = '\u001b[200~';
const CTRL_C = '\u0003';
const PASTE_END = '\u001b[201~';
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches an escape sequence
const CSI = /^\u001b\[([0-9;:<=>?]*)[ -/]*([@-~])/;

const LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift+tab',
};
const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};
const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'ctrl+j',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b': 'escape',
};

/**
 * Turns the bytes of a terminal in raw mode into keys, however they are cut into chunks. In place of Ink's `useInput`,
 * which as of 6.8 gets these wrong:
 * - `a\rb` in one chunk, as when typing ahead or fast, is one text: its Enter is lost. So is `\x03quit\r`.
 * - Backspace (`\x7f`) and Delete (`\x1b[3~`) are both `delete`.
 * - A bracketed paste is the texts `[200~` and `[201~` around whatever it holds; an escape sequence in it becomes keys.
 * - Esc is decided after one round of the event loop: over a slow line an arrow or Alt+B in two chunks is Esc and text.
 * - Esc twice is one Esc, and an unknown sequence is typed as text.
 */
export class KeyDecoder {
  readonly #utf8 = new StringDecoder('utf8');
  #waiting = '';
  #paste: string | undefined;

  push(bytes: Uint8Array): Key[] {
    const text = this.#utf8.write(Buffer.from(bytes));
    // Ctrl+C by itself: the end of the paste was lost, as over a bad connection, and would be waited for.
    const isStuck = this.#paste !== undefined && text === CTRL_C;
    this.#waiting += isStuck ? PASTE_END + text : text;
    const keys: Key[] = [];
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      if (key !== 'ignored') keys.push(key);
    }
    return keys;
  }

  /** True while a received escape may still turn out to start a sequence. */
  get undecided(): boolean {
    return this.#paste === undefined && this.#waiting !== '';
  }

  /** Call when nothing followed for a while: the waiting escape was the Esc key. */
  flush(): Key[] {
    if (!this.undecided) return [];
    const rest = this.#waiting;
    this.#waiting = '';
    const after = rest.slice(1);
    return [{ type: 'key', name: 'escape' }, ...(after ? [{ type: 'text', text: after } as const] : [])];
  }

  #next(): Key | 'ignored' | undefined {
    if (this.#paste !== undefined) return this.#pasted();
    const text = this.#waiting;
    if (text === '') return undefined;
    if (text[0] === '\u001b') return this.#escape(text);
    const control = CONTROLS[text[0] as string] ?? controlName(text);
    if (control !== undefined) return this.#take(1, { type: 'key', name: control });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character ends the text
    const end = text.search(/[\u0000-\u001f\u007f]/);
    const plain = end < 0 ? text : text.slice(0, end);
    return this.#take(plain.length, { type: 'text', text: plain });
  }

  #pasted(): Key | undefined {
    const end = this.#waiting.indexOf(PASTE_END);
    const sure = end < 0 ? Math.max(0, this.#waiting.length - PASTE_END.length + 1) : end;
    this.#paste += this.#waiting.slice(0, sure);
    this.#waiting = this.#waiting.slice(end < 0 ? sure : end + PASTE_END.length);
    if (end < 0) return undefined;
    const text = (this.#paste ?? '').replaceAll(/\r\n?/g, '\n');
    this.#paste = undefined;
    return { type: 'paste', text };
  }

  #escape(text: string): Key | 'ignored' | undefined {
    if (text.startsWith(PASTE_START)) {
      this.#paste = '';
      return this.#take(PASTE_START.length, 'ignored');
    }
    if (text.length === 1) return undefined;
    if (text[1] === '[') {
      const match = CSI.exec(text);
      if (!match) return text.length > 32 ? this.#take(1, 'ignored') : undefined;
      const name = csiName(match[1] ?? '', match[2] ?? '');
      return this.#take(match[0].length, name === undefined ? 'ignored' : { type: 'key', name });
    }
    if (text[1] === 'O') {
      if (text.length === 2) return undefined;
      const name = LETTERS[text[2] as string];
      return this.#take(3, name === undefined ? 'ignored' : { type: 'key', name });
    }
    if (text[1] === '\u001b') return this.#take(1, { type: 'key', name: 'escape' });
    const char = String.fromCodePoint(text.codePointAt(1) ?? 0);
    const second = CONTROLS[char] ?? controlName(text.slice(1));
    return this.#take(1 + char.length, { type: 'key', name: `alt+${second ?? char.toLowerCase()}` });
  }

  #take<T>(length: number, key: T): T {
    this.#waiting = this.#waiting.slice(length);
    return key;
  }
}

function controlName(text: string): string | undefined {
  const code = text.charCodeAt(0);
  return code >= 1 && code <= 26
    ? `ctrl+${String.fromCharCode(code + 96)}`
    : code < 32
      ? 'unknown'
      : undefined;
}

/** undefined: there is no such character. */
function codePoint(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** `ESC [ number ; modifiers letter`, and the kitty protocol's `ESC [ codepoint ; modifiers u`. */
function csiName(parameters: string, final: string): string | undefined {
  const [first = '', second = ''] = parameters.split(';');
  const code = Number(first);
  const name =
    final === '~'
      ? NUMBERS[first]
      : final === 'u'
        ? (CONTROLS[String.fromCharCode(code)] ?? codePoint(code || 32)?.toLowerCase())
        : LETTERS[final];
  if (name === undefined) return undefined;
  const bits = Math.max(0, (Number.parseInt(second, 10) || 1) - 1);
  const prefix = `${bits & 4 ? 'ctrl+' : ''}${bits & 2 ? 'alt+' : ''}${bits & 1 ? 'shift+' : ''}`;
  return prefix + name;
}

/** An escape followed by nothing for this long is the Esc key, not the start of a sequence. */
const ESCAPE_MS = 40;
const NEWLINE = 10;
const RETURN = 13;

interface KeyboardListener {
  readonly onKeys: (keys: readonly Key[]) => void;
  /** The terminal went away. */
  readonly onEnd: () => void;
}

/** Reads keys from a terminal in raw mode, from `open` to `close`. */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #listener: KeyboardListener;
  readonly #decoder = new KeyDecoder();
  #escape: NodeJS.Timeout | undefined;
  #typedAhead = false;

  constructor(input: NodeJS.ReadStream, listener: KeyboardListener) {
    this.#input = input;
    this.#listener = listener;
  }

  open(): void {
    this.#input.setRawMode(true);
    this.#input.on('data', this.#read);
    this.#input.on('end', this.#listener.onEnd);
    // A terminal that goes away may end the reading so, before a write fails.
    this.#input.on('error', this.#listener.onEnd);
    this.#input.resume();
    // Input typed before raw mode arrives within two iterations of the event loop.
    this.#typedAhead = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#typedAhead = false;
      }),
    );
  }

  close(): void {
    this.#input.off('data', this.#read);
    this.#input.off('end', this.#listener.onEnd);
    this.#input.off('error', this.#listener.onEnd);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  readonly #read = (bytes: Buffer): void => {
    clearTimeout(this.#escape);
    // Typed before raw mode, Enter was turned into a newline, which would be Ctrl+J here.
    const typed = this.#typedAhead ? bytes.map(byte => (byte === NEWLINE ? RETURN : byte)) : bytes;
    this.#listener.onKeys(this.#decoder.push(typed));
    if (!this.#decoder.undecided) return;
    this.#escape = setTimeout(() => this.#listener.onKeys(this.#decoder.flush()), ESCAPE_MS);
  };
}
