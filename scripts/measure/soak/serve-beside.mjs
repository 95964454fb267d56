import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** `serve` with the scripted engine, asked one request after another, streamed and whole. */
export class ServeBeside {
  #child;
  #url;
  #marks = [];
  faults = [];
  counts = { requests: 0 };

  constructor(main, options) {
    this.#child = spawn(process.execPath, [main, 'serve', 'x', '--port', '0'], {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let shown = '';
    this.ready = new Promise(resolve => {
      this.#child.stdout.on('data', chunk => {
        shown = `${shown}${chunk}`.slice(-2000);
        this.#url ??= /Listening on (\S+)/.exec(shown)?.[1];
        if (this.#url) resolve();
      });
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** @param {() => number} mostRequests so many by now: the chat beside has to come on too */
  async askUntil(isOver, mostRequests) {
    while (!isOver()) {
      await sleep(20);
      if (this.counts.requests >= mostRequests()) continue;
      const turn = `r${this.counts.requests}`;
      const text = await this.#ask(turn, this.counts.requests % 2 === 0).catch(String);
      if (!text.includes(`said:${turn} as heard`))
        this.faults.push(`${turn} is answered by ${text.slice(0, 300)}`);
      this.counts.requests += 1;
      this.#marks.push([Date.now(), this.counts.requests]);
    }
  }

  requestsAt(at) {
    return this.#marks.findLast(([time]) => time <= at)?.[1] ?? 0;
  }

  async end() {
    const ended = new Promise(resolve => this.#child.on('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }

  /** The text of the answer. */
  async #ask(turn, stream) {
    const body = JSON.stringify({ messages: [{ role: 'user', content: `turn:${turn}` }], stream });
    const response = await fetch(`${this.#url}/v1/chat/completions`, { method: 'POST', body });
    if (!stream) return (await response.json()).choices?.[0]?.message.content ?? 'nothing';
    const events = (await response.text()).split('\n').filter(line => line.startsWith('data: {'));
    return events.map(line => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '').join('');
  }
}
