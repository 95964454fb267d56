import { createInterface, type Key } from 'node:readline';
import { Writable } from 'node:stream';
import type { McpDocument } from '../../mcp/config/document.ts';
import type { InputDefinition } from '../../mcp/config/inputs.ts';
import type { LaunchRequest } from '../../mcp/trust/trust.ts';
import type { Questions } from '../../run/prepare-servers.ts';
import { visible } from '../../text/clean/visible.ts';
import { wrapped } from './terminal.ts';

/** Far longer than the process needs to receive its own signal. */
const INTERRUPT_MS = 1000;
/** How long after an escape byte the rest of a key's sequence may come; without one it is the Esc key. */
const ESCAPE_MS = 100;

/**
 * Questions on the terminal, asked on stderr because stdout is for the answer; undefined without a terminal. `begin` is called
 * before each.
 */
export function terminalQuestions(begin: () => void = () => undefined): Questions | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  return {
    confirm: async (document, launches) => {
      begin();
      process.stderr.write(consentText(document, launches));
      const answer = await readLine('Start them with your permissions? yes or no [no]: ', false);
      return /^y(es)?$/i.test(answer?.trim() ?? '');
    },
    value: input => {
      begin();
      return input.options ? choose(input, input.options) : readLine(promptOf(input), input.masked);
    },
  };
}

function consentText({ file }: McpDocument, launches: readonly LaunchRequest[]): string {
  const lines = launches.map(
    ({ server, shown, changed }) =>
      `  ${visible(server)}${changed ? ' (changed since you allowed it)' : ''}: ${shown}`,
  );
  return `\n${visible(file.path)} came with the working directory and wants to start:\n${lines.join('\n')}\n`;
}

function promptOf({ description, fallback, masked }: InputDefinition): string {
  const shown = fallback === undefined || masked ? '' : ` [${visible(fallback)}]`;
  return `${visible(description)}${shown}${masked ? ' (not shown)' : ''}: `;
}

async function choose(
  input: InputDefinition,
  options: NonNullable<InputDefinition['options']>,
): Promise<string | undefined> {
  const lines = options.map(({ label }, index) => `  ${index + 1}. ${visible(label)}`);
  process.stderr.write(`${visible(input.description)}\n${lines.join('\n')}\n`);
  while (true) {
    const shown = input.fallback === undefined ? '' : ` [${visible(input.fallback)}]`;
    const answer = await readLine(`1 to ${options.length}${shown}: `, false);
    if (answer === undefined || answer.trim() === '') return undefined;
    const option = options[Number(answer) - 1] ?? options.find(({ label }) => label === answer.trim());
    if (option) return option.value;
  }
}

let takeTerminal: (() => () => void) | undefined;

/** Lets the screen, which holds the terminal, lend it for each question; `take` returns how to give it back. */
export function shareTerminal(take: (() => () => void) | undefined): void {
  takeTerminal = take;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a line from the keyboard; undefined at Esc, at Ctrl+D and when `signal` aborts. Ctrl+C is SIGINT, as everywhere else.
 * Questions wait for each other: a line answers one of them. `text` is there to be edited.
 */
export function readLine(
  prompt: string,
  masked: boolean,
  signal?: AbortSignal,
  text = '',
): Promise<string | undefined> {
  const answer = last.then(() => readLineNow(prompt, masked, signal, text));
  // The caller gets a terminal's error; the next question tries again.
  last = answer.catch(() => undefined);
  return answer;
}

function readLineNow(
  prompt: string,
  masked: boolean,
  signal: AbortSignal | undefined,
  text: string,
): Promise<string | undefined> {
  if (signal?.aborted) return Promise.resolve(undefined);
  const giveBack = takeTerminal?.();
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Node's reader breaks a long prompt inside words, so it gets the last row alone.
  const rows = wrapped(prompt, process.stderr, process.env).split('\n');
  const row = rows.pop() ?? '';
  const reader = createInterface({
    input: process.stdin,
    output: masked ? mute : process.stderr,
    terminal: true,
    historySize: 0,
    escapeCodeTimeout: ESCAPE_MS,
    prompt: masked ? '' : row,
  });
  // Only now has the terminal stopped echoing.
  process.stderr.write(rows.map(above => `${above}\n`).join('') + (masked ? row : ''));
  return new Promise(resolve => {
    let answer: string | undefined;
    reader.on('line', text => {
      answer = text;
      reader.close();
    });
    let interrupted = false;
    reader.on('SIGINT', () => {
      interrupted = true;
      reader.close();
      process.kill(process.pid, 'SIGINT');
    });
    const close = (): void => reader.close();
    const onKey = (_text: string | undefined, key: Key): void => {
      if (key.name === 'escape') close();
    };
    process.stdin.on('keypress', onKey);
    signal?.addEventListener('abort', close);
    reader.on('close', () => {
      process.stdin.off('keypress', onKey);
      signal?.removeEventListener('abort', close);
      if (masked || answer === undefined) process.stderr.write('\n');
      giveBack?.();
      // The signal arrives a moment later; until then, whatever it ends must not continue.
      if (interrupted) setTimeout(() => resolve(undefined), INTERRUPT_MS);
      else resolve(answer);
    });
    reader.prompt();
    if (text !== '') reader.write(visible(text));
  });
}
