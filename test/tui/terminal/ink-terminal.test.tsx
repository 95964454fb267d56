import { render, Text, useCursor } from 'ink';
import { afterEach, expect, test, vi } from 'vitest';
import { InkTerminal } from '../../../src/tui/terminal/ink-terminal.ts';
import { Painter } from '../../../src/tui/terminal/painter.ts';
import { Emulator } from './emulator.ts';

// Ink draws no live region under CI, which it looks for when it is imported.
vi.hoisted(() => {
  delete process.env.CI;
  delete process.env.CONTINUOUS_INTEGRATION;
});

interface AppProps {
  readonly live: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

function App({ live, cursor }: AppProps) {
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return live.map(text => <Text key={text}>{text}</Text>);
}

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** Ink itself on an emulated terminal. `draw` resolves with what the terminal shows. */
function start(first: AppProps) {
  const emulator = new Emulator(40, 8);
  const terminal = new InkTerminal(emulator, new Painter(emulator));
  const app = render(<App {...first} />, {
    stdout: terminal as unknown as NodeJS.WriteStream,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: 1000,
  });
  ended.push(app.unmount);
  const settle = () => new Promise(resolve => setTimeout(resolve, 20));
  const draw = async (props: AppProps) => {
    app.rerender(<App {...props} />);
    await settle();
    return await emulator.lines();
  };
  return { emulator, terminal, draw, settle };
}

test('finished text, growing text, the region of Ink, the cursor where useCursor wants it', async () => {
  const { emulator, terminal, draw, settle } = start({ live: ['> '], cursor: { x: 2, y: 0 } });
  await settle();
  terminal.show(['one'], [], false);
  expect(await emulator.lines()).toEqual(['one', '> ']);
  expect(await emulator.cursor()).toEqual({ row: 1, column: 2 });
  terminal.show(['two', 'three'], ['half'], true);
  const lines = await draw({ live: ['> a', 'footer'], cursor: { x: 3, y: 0 } });
  expect(lines).toEqual(['one', 'two', 'three', 'half', '> a', 'footer']);
  expect(await emulator.cursor()).toEqual({ row: 4, column: 3 });
  // The cursor alone, then a region that shrinks.
  await draw({ live: ['> a', 'footer'], cursor: { x: 1, y: 0 } });
  expect(await emulator.cursor()).toEqual({ row: 4, column: 1 });
  terminal.show([], [], true);
  expect(await draw({ live: ['> '], cursor: { x: 2, y: 0 } })).toEqual(['one', 'two', 'three', '> ']);
  expect(emulator.bytes).not.toMatch(/\[2J|\[3J/);
});

test('a frame costs what differs: a word, not the region', async () => {
  const below = ['> ', 'a footer of some length, there all the time'];
  const { emulator, terminal, draw } = start({ live: below, cursor: { x: 2, y: 0 } });
  await draw({ live: below, cursor: { x: 2, y: 0 } });
  terminal.show([], ['The model says'], false);
  const before = emulator.bytes.length;
  terminal.show([], ['The model says hello'], false);
  expect(emulator.bytes.length - before).toBeLessThan(30);
  terminal.show(['The model says hello'], [], false);
  expect(emulator.bytes.length - before).toBeLessThan(40);
});

test('text that comes with a new frame of Ink waits for it, and is shown even if there is none', async () => {
  const { emulator, terminal, draw } = start({ live: ['* busy', '> '], cursor: { x: 2, y: 1 } });
  await draw({ live: ['* busy', '> '], cursor: { x: 2, y: 1 } });
  terminal.show([], ['Hello'], true);
  expect(await emulator.lines()).toEqual(['* busy', '> ']);
  expect(await draw({ live: ['> '], cursor: { x: 2, y: 0 } })).toEqual(['Hello', '> ']);
  terminal.show(['Hello you'], [], true);
  await expect.poll(() => emulator.lines()).toEqual(['Hello you', '> ']);
  terminal.show(['And you'], [], true);
  terminal.flush();
  expect(await emulator.lines()).toEqual(['Hello you', 'And you', '> ']);
});

test('a suspended terminal gets nothing; afterwards all that was finished meanwhile, once', async () => {
  const { emulator, terminal, draw } = start({ live: ['> '], cursor: { x: 2, y: 0 } });
  await draw({ live: ['> a'], cursor: { x: 3, y: 0 } });
  terminal.show(['one'], ['half'], true);
  terminal.suspend();
  const before = emulator.bytes.length;
  terminal.show(['two'], ['other half'], false);
  expect(await draw({ live: ['> a'], cursor: { x: 3, y: 0 } })).toEqual(['one']);
  terminal.show(['three'], [], true);
  await draw({ live: ['> ab'], cursor: { x: 4, y: 0 } });
  expect(emulator.bytes.length).toBe(before);
  terminal.resume();
  expect(await emulator.lines()).toEqual(['one', 'two', 'three', '> ab']);
});

test('a region that was erased and has not changed is drawn again', async () => {
  const { emulator, terminal, draw } = start({ live: ['> a', 'footer'], cursor: { x: 3, y: 0 } });
  terminal.show(['one'], ['half'], false);
  const live = await draw({ live: ['> a', 'footer'], cursor: { x: 3, y: 0 } });
  terminal.erase();
  expect(await emulator.lines()).toEqual(['one']);
  terminal.restore();
  expect(await emulator.lines()).toEqual(live);
});
