import { render, Text } from 'ink';
import { afterEach, expect, test } from 'vitest';
import { InkTerminal } from '../../../src/tui/terminal/ink-terminal.ts';
import { type CursorPlace, Painter } from '../../../src/tui/terminal/painter.ts';
import { Emulator } from './emulator.ts';

interface AppProps {
  readonly live: readonly string[];
  readonly cursor: CursorPlace;
}

function App({ live }: AppProps) {
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
  terminal.place(first.cursor);
  const app = render(<App {...first} />, {
    stdout: terminal as unknown as NodeJS.WriteStream,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
    debug: true,
  });
  ended.push(app.unmount);
  const draw = async (props: AppProps) => {
    terminal.place(props.cursor);
    app.rerender(<App {...props} />);
    terminal.flush();
    return await emulator.lines();
  };
  const print = (finished: readonly string[], growing: readonly string[]) => {
    terminal.show(finished, growing);
    terminal.flush();
  };
  return { emulator, terminal, draw, print };
}

test('finished text, growing text, the region of Ink, the cursor in its place', async () => {
  const { emulator, terminal, draw, print } = start({ live: ['> '], cursor: { row: 0, column: 2 } });
  print(['one'], []);
  expect(await emulator.lines()).toEqual(['one', '> ']);
  expect(await emulator.cursor()).toEqual({ row: 1, column: 2 });
  terminal.show(['two', 'three'], ['half']);
  const lines = await draw({ live: ['> a', 'footer'], cursor: { row: 0, column: 3 } });
  expect(lines).toEqual(['one', 'two', 'three', 'half', '> a', 'footer']);
  expect(await emulator.cursor()).toEqual({ row: 4, column: 3 });
  // The cursor alone, then a region that shrinks.
  await draw({ live: ['> a', 'footer'], cursor: { row: 0, column: 1 } });
  expect(await emulator.cursor()).toEqual({ row: 4, column: 1 });
  terminal.show([], []);
  expect(await draw({ live: ['> '], cursor: { row: 0, column: 2 } })).toEqual(['one', 'two', 'three', '> ']);
  expect(emulator.bytes).not.toMatch(/\[2J|\[3J/);
});

test('a frame costs what differs: a word, not the region', async () => {
  const below = ['> ', 'a footer of some length, there all the time'];
  const { emulator, draw, print } = start({ live: below, cursor: { row: 0, column: 2 } });
  await draw({ live: below, cursor: { row: 0, column: 2 } });
  print([], ['The model says']);
  const before = emulator.bytes.length;
  print([], ['The model says hello']);
  expect(emulator.bytes.length - before).toBeLessThan(30);
  print(['The model says hello'], []);
  expect(emulator.bytes.length - before).toBeLessThan(40);
});

test('text that comes with a new frame of Ink waits for it, and is shown even if the frame is the same', async () => {
  const { emulator, terminal, draw } = start({ live: ['* busy', '> '], cursor: { row: 1, column: 2 } });
  await draw({ live: ['* busy', '> '], cursor: { row: 1, column: 2 } });
  terminal.show([], ['Hello']);
  expect(await emulator.lines()).toEqual(['* busy', '> ']);
  expect(await draw({ live: ['> '], cursor: { row: 0, column: 2 } })).toEqual(['Hello', '> ']);
  terminal.show(['Hello you'], []);
  expect(await draw({ live: ['> '], cursor: { row: 0, column: 2 } })).toEqual(['Hello you', '> ']);
  terminal.show(['And you'], []);
  terminal.flush();
  expect(await emulator.lines()).toEqual(['Hello you', 'And you', '> ']);
});

test('a suspended terminal gets nothing; afterwards all that was finished meanwhile, once', async () => {
  const { emulator, terminal, draw, print } = start({ live: ['> '], cursor: { row: 0, column: 2 } });
  await draw({ live: ['> a'], cursor: { row: 0, column: 3 } });
  terminal.show(['one'], ['half']);
  terminal.suspend();
  const before = emulator.bytes.length;
  print(['two'], ['other half']);
  expect(await draw({ live: ['> a'], cursor: { row: 0, column: 3 } })).toEqual(['one']);
  terminal.show(['three'], []);
  await draw({ live: ['> ab'], cursor: { row: 0, column: 4 } });
  expect(emulator.bytes.length).toBe(before);
  terminal.resume();
  expect(await emulator.lines()).toEqual(['one', 'two', 'three', '> ab']);
});

test('a region that was erased and has not changed is drawn again', async () => {
  const { emulator, terminal, draw, print } = start({
    live: ['> a', 'footer'],
    cursor: { row: 0, column: 3 },
  });
  print(['one'], ['half']);
  const live = await draw({ live: ['> a', 'footer'], cursor: { row: 0, column: 3 } });
  terminal.erase();
  expect(await emulator.lines()).toEqual(['one']);
  terminal.restore();
  expect(await emulator.lines()).toEqual(live);
});
