import { createInterface } from 'node:readline';

/** A line, Ctrl+D on an empty line (`end`), or Ctrl+C (`interrupt`). */
export type Typed =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'end' }
  | { readonly type: 'interrupt' };

/**
 * Asks for one prompt at a time on a terminal. The readline interface exists only while it asks: between prompts the
 * terminal is in its normal mode, where Ctrl+C is a signal, typed lines wait for the next prompt, and others may ask. `out`
 * shows the prompt, and need not be a terminal.
 */
export class TtyInput {
  readonly #prompt: string;
  readonly #out: NodeJS.WriteStream;
  #history: string[] = [];
  readonly #waiting: string[] = [];
  /** Typed after the last Enter, before the interface closed. */
  #unfinished = '';

  constructor(prompt: string, out: NodeJS.WriteStream = process.stdout) {
    this.#prompt = prompt;
    this.#out = out;
  }

  ask(): Promise<Typed> {
    const queued = this.#waiting.shift();
    if (queued !== undefined) {
      this.#out.write(`${this.#prompt}${queued}\n`);
      return Promise.resolve({ type: 'line', text: queued });
    }
    return new Promise(resolve => {
      let answer: Typed = { type: 'end' };
      let answered = false;
      const reader = createInterface({
        input: process.stdin,
        output: this.#out,
        prompt: this.#prompt,
        history: this.#history,
        terminal: this.#out.isTTY === true && process.env.TERM !== 'dumb',
      });
      const finish = (typed: Typed) => {
        if (answered) return;
        answered = true;
        answer = typed;
        // Pasted lines arrive in one burst: read them all before the interface closes.
        setImmediate(() => reader.close());
      };
      reader.on('history', (lines: string[]) => {
        this.#history = lines;
      });
      reader.on('line', text => {
        if (answered) this.#waiting.push(text);
        else finish({ type: 'line', text });
      });
      reader.on('SIGINT', () => {
        if (reader.line === '') return finish({ type: 'interrupt' });
        reader.write(null, { ctrl: true, name: 'e' });
        reader.write(null, { ctrl: true, name: 'u' });
      });
      reader.on('close', () => {
        if (answer.type !== 'line') this.#out.write('\n');
        this.#unfinished = answered ? reader.line : '';
        resolve(answer);
      });
      reader.prompt();
      if (this.#unfinished) reader.write(this.#unfinished);
    });
  }
}
