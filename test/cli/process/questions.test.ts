import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readLine, shareTerminal, terminalQuestions } from '../../../src/cli/process/questions.ts';
import { formAsker } from '../../../src/line/ask-form.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ESC = '\u001b';
const real = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
const { isTTY: realTty, columns: realColumns } = process.stderr;

/** A keyboard in the place of stdin. */
class Keyboard extends PassThrough {
  readonly isTTY = true;
  raw = false;
  broken = false;

  setRawMode(raw: boolean): void {
    if (this.broken) throw new Error('setRawMode EIO');
    this.raw = raw;
  }
}

let keyboard: Keyboard;
let shown: string;

beforeEach(() => {
  keyboard = new Keyboard();
  shown = '';
  // Node edits no lines on a dumb terminal.
  vi.stubEnv('TERM', 'xterm-256color');
  Object.defineProperty(process, 'stdin', { value: keyboard, configurable: true });
  process.stderr.isTTY = true;
  vi.spyOn(process.stderr, 'write').mockImplementation(chunk => {
    shown += chunk;
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Object.defineProperty(process, 'stdin', real);
  process.stderr.isTTY = realTty;
  process.stderr.columns = realColumns;
  shareTerminal(undefined);
});

/** Types when this is on the screen. */
async function typeAt(text: string, typed: string): Promise<void> {
  await vi.waitFor(() => expect(shown).toContain(text));
  shown = shown.replace(text, '');
  keyboard.write(typed);
}

describe('one line', () => {
  test.each([
    ['yes\r', 'yes'],
    ['\r', ''],
    ['n\u007fyes\n', 'yes'],
    [CTRL_D, undefined],
    [`half\u0015${CTRL_D}`, undefined],
    [ESC, undefined],
    [`half${ESC}`, undefined],
    [`${ESC}${ESC}`, undefined],
    // Arrows, other keys of several bytes, and Alt with a letter are no Esc.
    [`no${ESC}[D${ESC}[D${ESC}[C${ESC}OA${ESC}[3~\r`, 'n'],
    [`a b${ESC}b${ESC}fc\r`, 'a bc'],
  ])('%j', async (typed, answer) => {
    const asked = readLine('Well? ', false);
    await typeAt('Well? ', typed);
    expect(await asked).toBe(answer);
    expect(keyboard.raw).toBe(false);
  });

  test.each([false, true])(
    'masked: %s; a prompt wider than the window breaks between words',
    async masked => {
      process.stderr.columns = 30;
      const asked = readLine('Run it? It may delete or overwrite something. yes or no: ', masked);
      await typeAt('Run it? It may delete or\n  overwrite something. yes or', 'yes\r');
      expect(shown).toContain('  no: ');
      expect(await asked).toBe('yes');
    },
  );

  test('that is masked shows the prompt and nothing of what is typed', async () => {
    const asked = readLine('Key (not shown): ', true);
    await typeAt('Key (not shown): ', 'secret\r');
    expect(await asked).toBe('secret');
    expect(shown).not.toMatch(/[secrt]/);
  });

  test('whose question is over before it is asked, or while it is', async () => {
    expect(await readLine('Never? ', false, AbortSignal.abort())).toBeUndefined();
    expect(shown).toBe('');
    const over = new AbortController();
    const asked = readLine('Still? ', false, over.signal);
    await vi.waitFor(() => expect(shown).toContain('Still? '));
    over.abort();
    expect(await asked).toBeUndefined();
    const next = readLine('Next? ', false);
    await typeAt('Next? ', 'here\r');
    expect(await next).toBe('here');
  });

  test('Ctrl+C is the signal, and answers nothing', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const asked = readLine('Well? ', false);
    await typeAt('Well? ', `yes${CTRL_C}`);
    expect(await asked).toBeUndefined();
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
  });

  test('answers one of several questions, in the order in which they came', async () => {
    const held: string[] = [];
    shareTerminal(() => {
      held.push('taken');
      return () => held.push('given back');
    });
    const over = new AbortController();
    const asked = [
      readLine('First? ', false),
      readLine('Gone? ', false, over.signal),
      readLine('Second? ', false),
    ];
    await vi.waitFor(() => expect(shown).toContain('First? '));
    over.abort();
    expect(shown).not.toContain('Second? ');
    await typeAt('First? ', 'one\r');
    await typeAt('Second? ', 'two\r');
    expect(await Promise.all(asked)).toEqual(['one', undefined, 'two']);
    expect(held).toEqual(['taken', 'given back', 'taken', 'given back']);
    expect(shown).not.toContain('Gone? ');
  });

  test('a terminal that fails is told to who asked; the next question is asked all the same', async () => {
    keyboard.broken = true;
    await expect(readLine('First? ', false)).rejects.toThrow('EIO');
    keyboard.broken = false;
    const asked = readLine('Second? ', false);
    await typeAt('Second? ', 'two\r');
    expect(await asked).toBe('two');
  });
});

describe('questions of the start', () => {
  const launch = { server: 'a\u001b[2J', shown: 'run --it', changed: true };
  const document = { file: { path: '/x/\u202emcp.json' } };
  const confirm = () => terminalQuestions()?.confirm(document as never, [launch as never]);

  test('are not asked where there is no terminal', () => {
    process.stderr.isTTY = false;
    expect(terminalQuestions()).toBeUndefined();
    process.stderr.isTTY = true;
    Object.defineProperty(keyboard, 'isTTY', { value: false });
    expect(terminalQuestions()).toBeUndefined();
  });

  test.each([
    ['y', true],
    [' YES ', true],
    ['', false],
    ['no', false],
    ['yess', false],
    ['yes no', false],
  ])('%j starts the servers: %s', async (typed, answer) => {
    const asked = confirm();
    await typeAt('yes or no [no]: ', `${typed}\r`);
    expect(await asked).toBe(answer);
  });

  test('Ctrl+D starts nothing; names cannot write on the screen', async () => {
    const asked = confirm();
    await typeAt('yes or no [no]: ', CTRL_D);
    expect(await asked).toBe(false);
    expect(shown).toContain('/x/\\u{202e}mcp.json came with the working directory');
    expect(shown).toContain('(changed since you allowed it): run --it');
    expect(shown).toContain('  a\\u{1b}[2J (changed');
    for (const hidden of ['\u202e', 'a\u001b[2J']) expect(shown).not.toContain(hidden);
  });

  const input = { id: 'key', description: 'The key', masked: false, fallback: 'usual' };
  const value = (changes: object = {}) => terminalQuestions()?.value({ ...input, ...changes } as never);

  test('a value, with what stands in for none; that of a secret is not shown', async () => {
    const asked = value();
    await typeAt('The key [usual]: ', 'mine\r');
    expect(await asked).toBe('mine');
    const secret = value({ masked: true });
    await typeAt('The key (not shown): ', 'hidden\r');
    expect(await secret).toBe('hidden');
    expect(shown).not.toMatch(/usual|hidden/);
  });

  const options = [
    { label: 'Small', value: 's' },
    { label: 'Large', value: 'l' },
  ];

  test.each([
    [['2'], 'l'],
    [['Small'], 's'],
    [[' Large '], 'l'],
    [['0', '3', '1.5', '-1', 'large', 'NaN', '1'], 's'],
    [[''], undefined],
    [['9', ''], undefined],
  ])('a choice: %j gives %s', async (typed, chosen) => {
    const asked = value({ options });
    for (const line of typed) await typeAt('1 to 2 [usual]: ', `${line}\r`);
    expect(await asked).toBe(chosen);
    expect(shown).toContain('  1. Small\n  2. Large\n');
  });

  test('a choice at Ctrl+D is none', async () => {
    const asked = value({ options });
    await typeAt('1 to 2 [usual]: ', 'x\r');
    await typeAt('1 to 2 [usual]: ', CTRL_D);
    expect(await asked).toBeUndefined();
  });
});

test('Esc in a form cancels it, which is no refusal, and the next question is asked', async () => {
  const elicit = formAsker({
    print: text => void process.stderr.write(text),
    ask: (prompt, signal) => readLine(prompt, false, signal),
  });
  const fields = [{ name: 'age', type: 'integer', required: true, schema: {} }];
  const request = { server: 'web', message: 'Who?', fields };
  const listeners = keyboard.listenerCount('keypress');
  const first = elicit(request, new AbortController().signal);
  await typeAt('Answer (age)? yes or no [no]: ', ESC);
  expect(await first).toEqual({ action: 'cancel' });
  const second = elicit(request, new AbortController().signal);
  await typeAt('Answer (age)? yes or no [no]: ', 'yes\r');
  await typeAt('  age: ', `4${ESC}`);
  expect(await second).toEqual({ action: 'cancel' });
  expect(shown).toContain('Enter alone takes what is in [ ]; Esc cancels the form.');
  const third = elicit(request, new AbortController().signal);
  await typeAt('Answer (age)? yes or no [no]: ', 'no\r');
  expect(await third).toEqual({ action: 'decline' });
  expect(keyboard.listenerCount('keypress')).toBe(listeners);
});

test('a form whose server no longer waits gives the keyboard back', async () => {
  const gone = new AbortController();
  const elicit = formAsker({
    print: text => void process.stderr.write(text),
    ask: (prompt, signal) => readLine(prompt, false, signal),
  });
  const answer = elicit({ server: 'web', message: 'Who?', fields: [] }, gone.signal);
  await vi.waitFor(() => expect(shown).toContain('Answer? yes or no [no]: '));
  gone.abort();
  expect(await answer).toEqual({ action: 'cancel' });
  const next = readLine('Run it? ', false);
  await typeAt('Run it? ', 'no\r');
  expect(await next).toBe('no');
});
