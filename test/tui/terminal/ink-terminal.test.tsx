import { render, Static, Text, useCursor } from 'ink';
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
  readonly finished: string[];
  readonly live: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

function App({ finished, live, cursor }: AppProps) {
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return (
    <>
      <Static items={finished}>{text => <Text key={text}>{text}</Text>}</Static>
      {live.map(text => (
        <Text key={text}>{text}</Text>
      ))}
    </>
  );
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
    ...{ patchConsole: false, exitOnCtrlC: false, maxFps: 1000 },
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

test('finished text above, the region below it, the cursor where useCursor wants it', async () => {
  const { emulator, draw, settle } = start({ finished: ['one'], live: ['> '], cursor: { x: 2, y: 0 } });
  await settle();
  expect(await emulator.lines()).toEqual(['one', '> ']);
  expect(await emulator.cursor()).toEqual({ row: 1, column: 2 });
  const lines = await draw({
    ...{ finished: ['one', 'two', 'three'], live: ['half', '> a', 'footer'], cursor: { x: 3, y: 1 } },
  });
  expect(lines).toEqual(['one', 'two', 'three', 'half', '> a', 'footer']);
  expect(await emulator.cursor()).toEqual({ row: 4, column: 3 });
  // The cursor alone, then a region that shrinks.
  await draw({
    ...{ finished: ['one', 'two', 'three'], live: ['half', '> a', 'footer'] },
    cursor: { x: 1, y: 1 },
  });
  expect(await emulator.cursor()).toEqual({ row: 4, column: 1 });
  expect(await draw({ finished: ['one', 'two', 'three'], live: ['> '], cursor: { x: 2, y: 0 } })).toEqual([
    ...['one', 'two', 'three', '> '],
  ]);
  expect(emulator.bytes).not.toMatch(/\[2J|\[3J/);
});

test('a frame costs what differs: a word, not the region', async () => {
  const below = ['> ', 'a footer of some length, there all the time'];
  const { emulator, draw } = start({ finished: [], live: ['The model', ...below], cursor: { x: 2, y: 1 } });
  await draw({ finished: [], live: ['The model says', ...below], cursor: { x: 2, y: 1 } });
  const before = emulator.bytes.length;
  await draw({ finished: [], live: ['The model says hello', ...below], cursor: { x: 2, y: 1 } });
  expect(emulator.bytes.length - before).toBeLessThan(30);
});

test('a suspended terminal gets nothing; afterwards all that was finished meanwhile, once', async () => {
  const { emulator, terminal, draw } = start({ finished: ['one'], live: ['> '], cursor: { x: 2, y: 0 } });
  await draw({ finished: ['one'], live: ['> a'], cursor: { x: 3, y: 0 } });
  terminal.suspend();
  const before = emulator.bytes.length;
  expect(await draw({ finished: ['one', 'two'], live: ['> a'], cursor: { x: 3, y: 0 } })).toEqual(['one']);
  await draw({ finished: ['one', 'two', 'three'], live: ['> ab'], cursor: { x: 4, y: 0 } });
  expect(emulator.bytes.length).toBe(before);
  terminal.resume();
  expect(await emulator.lines()).toEqual(['one', 'two', 'three', '> ab']);
});

test('a region that was erased and has not changed is drawn again', async () => {
  const { emulator, terminal, draw } = start({
    finished: [],
    live: ['> a', 'footer'],
    cursor: { x: 3, y: 0 },
  });
  const live = await draw({ finished: [], live: ['> a', 'footer'], cursor: { x: 3, y: 0 } });
  terminal.erase();
  expect(await emulator.lines()).toEqual([]);
  terminal.restore();
  expect(await emulator.lines()).toEqual(live);
});
