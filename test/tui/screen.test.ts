import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { PromptHistory } from '../../src/tui/input/prompt-history.ts';
import { Screen } from '../../src/tui/screen.ts';
import type { FooterInfo } from '../../src/tui/state/screen-state.ts';
import { chooseTheme } from '../../src/tui/style/theme.ts';

const FOOTER: FooterInfo = {
  model: 'm',
  device: 'cpu',
  contextUsed: 0,
  contextLength: 10,
  rate: undefined,
  tools: 0,
  serversUp: 0,
  servers: 0,
};

/** A screen on streams that only look like a terminal, and what it does to them. */
function place(footer: () => FooterInfo) {
  const raw: boolean[] = [];
  const written: string[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    ref: () => undefined,
    unref: () => undefined,
    setRawMode: (mode: boolean) => void raw.push(mode),
  });
  const output = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 60,
    rows: 20,
    write: (text: string) => written.push(text) > 0,
  });
  const screen = new Screen({
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    footer,
    theme: chooseTheme('none', false, {}),
    env: {},
    history: { entries: [], add: () => undefined } as unknown as PromptHistory,
    candidates: () => ({ commands: [], tools: [], resources: [] }),
    blockedBy: work => work(),
    onEffect: () => undefined,
  });
  return { screen, raw, written };
}

test('the terminal is given back even if the last frame cannot be drawn', () => {
  let broken = false;
  const { screen, raw, written } = place(() => {
    if (broken) throw new Error('cannot be drawn');
    return FOOTER;
  });
  screen.start();
  broken = true;
  screen.stop();
  expect(raw).toEqual([true, false]);
  expect(written.at(-1)).toBe('\u001b[?2004l\u001b[?25h');
});
