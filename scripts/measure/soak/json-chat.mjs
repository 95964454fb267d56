import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program in --json mode: lines go in, events come out, and each turn is accounted for. */
export class JsonChat {
  #child;
  #waiting = [];
  #seen = [];
  /** Calls that have no result yet, by id; and what was wrong. */
  #open = new Map();
  #ids = new Set();
  faults = [];
  counts = { turns: 0, calls: 0, results: 0, errors: 0 };

  constructor(command, args, options) {
    this.#child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', line => this.#take(JSON.parse(line)));
    this.exited = new Promise(resolve => this.#child.on('exit', resolve));
    this.exited.then(() => this.#wake());
  }

  get pid() {
    return this.#child.pid;
  }

  say(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  end() {
    this.#child.stdin.end();
  }

  /** The next event of one of these types; those before it are passed over. */
  async next(...types) {
    for (;;) {
      while (this.#seen.length > 0) {
        const event = this.#seen.shift();
        if (types.includes(event.type)) return event;
      }
      if (this.#child.exitCode !== null) throw new Error(`the program ended with ${this.#child.exitCode}`);
      await new Promise(resolve => this.#waiting.push(resolve));
    }
  }

  /** One turn. @returns its last event */
  async turn(text) {
    this.say(JSON.stringify({ type: 'prompt', text }));
    const last = await this.next('assistant', 'error');
    this.counts.turns += 1;
    for (const id of this.#open.keys()) this.faults.push(`${text}: the call ${id} has no result`);
    this.#open.clear();
    this.#ids.clear();
    return last;
  }

  #take(event) {
    if (event.type === 'tool_call') {
      if (this.#ids.has(event.id)) this.faults.push(`the id ${event.id} is given twice`);
      this.#ids.add(event.id);
      this.#open.set(event.id, event);
      this.counts.calls += 1;
    } else if (event.type === 'tool_result' || event.type === 'tool_error') {
      this.#account(event);
    }
    // Tokens would only pile up.
    if (!['token', 'thinking', 'prefill', 'stats'].includes(event.type)) this.#seen.push(event);
    this.#wake();
  }

  #account(event) {
    const call = this.#open.get(event.id);
    if (!this.#open.delete(event.id)) this.faults.push(`a result for ${event.id}, which waits for none`);
    this.counts[event.type === 'tool_result' ? 'results' : 'errors'] += 1;
    const { text } = call?.arguments ?? {};
    if (event.type === 'tool_result' && call?.name.endsWith('echo') && event.text !== text)
      this.faults.push(`'${text}' was answered by '${event.text}'`);
  }

  #wake() {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
