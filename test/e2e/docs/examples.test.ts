import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../program.ts';
import { compileFaults, libraryProject, runIn } from './library-project.ts';

// Every program in examples/: its types checked strictly, and run with the demo's model.

let dir = '';

/** As much of Electron as the example uses: a window that asks, stops the next reply, and quits the app. */
const ELECTRON = `
import { EventEmitter } from 'node:events';
const handlers = new Map();
const pieces = [];
let onPiece = () => {};
const send = (_, text) => { pieces.push(text); onPiece(); };
const contents = Object.assign(new EventEmitter(), { id: 1, isDestroyed: () => false, send });
const ipcMain = Object.assign(new EventEmitter(), { handle: (name, handler) => handlers.set(name, handler) });
const app = Object.assign(new EventEmitter(), {
  whenReady: async () => undefined,
  quit() {
    const event = { prevented: false, preventDefault() { this.prevented = true; } };
    app.emit('before-quit', event);
    if (!event.prevented) console.log('ended');
  },
});
class BrowserWindow {
  constructor({ webPreferences }) { console.log(webPreferences.preload.endsWith('preload.cjs')); }
  async loadFile() {
    const ask = text => handlers.get('send')({ sender: contents }, text);
    const answer = await ask('What is the capital of France?');
    console.log(answer, pieces.join('') === answer);
    onPiece = () => ipcMain.emit('stop', { sender: contents });
    console.log((await ask('Tell me a long story.')).length > 0);
    contents.emit('destroyed');
    app.emit('window-all-closed');
  }
}
export { app, BrowserWindow, ipcMain };
`;
const ELECTRON_TYPES = `
declare namespace Electron {
  interface WebContents {
    readonly id: number;
    once(event: 'destroyed', listener: () => void): this;
    isDestroyed(): boolean;
    send(channel: string, ...args: unknown[]): void;
  }
}
declare module 'electron' {
  interface FromWindow { readonly sender: Electron.WebContents }
  export const app: {
    on(event: 'before-quit', listener: (event: { preventDefault(): void }) => void): void;
    on(event: 'window-all-closed', listener: () => void): void;
    whenReady(): Promise<void>;
    quit(): void;
  };
  const ipcMain: {
    handle(channel: string, listener: (event: FromWindow, ...args: any[]) => unknown): void;
    on(channel: string, listener: (event: FromWindow, ...args: any[]) => void): void;
  };
  export class BrowserWindow {
    constructor(options: { webPreferences: { preload: string } });
    loadFile(path: string): Promise<void>;
  }
}
`;

beforeAll(() => {
  dir = libraryProject();
  cpSync(join(ROOT, 'examples'), dir, { recursive: true });
  mkdirSync(join(dir, 'node_modules/electron'));
  writeFileSync(join(dir, 'node_modules/electron/package.json'), '{ "type": "module", "main": "index.js" }');
  writeFileSync(join(dir, 'node_modules/electron/index.js'), ELECTRON);
  writeFileSync(join(dir, 'electron.d.ts'), ELECTRON_TYPES);
  writeFileSync(join(dir, 'mcp.json'), mcpJson({ approval: 'ask' }));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function mcpJson(more: object): string {
  return JSON.stringify({ servers: { weather: { command: 'node', args: ['weather-server.mjs'], ...more } } });
}

it('each is named on the page, and has sound types', () => {
  const page = readFileSync(join(dir, 'README.md'), 'utf8');
  const programs = readdirSync(dir).filter(name => name.endsWith('.mjs') && name !== 'weather-server.mjs');
  expect(programs.filter(name => !page.includes(`(${name})`))).toEqual([]);
  const options = { allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true };
  expect(compileFaults(dir, [...programs, 'electron/*.mjs', '*.d.ts'], options)).toEqual([]);
});

it('chat.mjs: a conversation, until its input ends', async () => {
  const { stdout } = await runIn(dir, ['chat.mjs'], 'What is the capital of France?\n\nThank you!\n');
  expect(stdout).toMatch(/^you> .*Paris.*\nyou> you> .+\nyou> $/);
});

it('function-tools.mjs', async () => {
  const { stdout } = await runIn(dir, ['function-tools.mjs']);
  expect(stdout).toMatch(/^add \{ a: 17, b: 25 \} 42\n.*\b42\b/);
});

it('mcp.mjs asks about a call', async () => {
  const question = 'What is the weather in Paris?';
  const { stdout, stderr } = await runIn(dir, ['mcp.mjs', 'mcp.json', question], 'y\n');
  expect(stderr).toMatch(/^May weather run weather with \{.*\}\? \[y\/n\] /m);
  expect(stdout).toMatch(/sunny|21/);
});

it('structured-data.mjs', async () => {
  const { stdout } = await runIn(dir, ['structured-data.mjs'], 'Oslo is the capital of Norway.');
  expect(JSON.parse(stdout)).toEqual({
    name: expect.any(String),
    country: expect.any(String),
    kind: expect.stringMatching(/^(city|village|country|other)$/),
    capital: expect.any(Boolean),
  });
});

it('search-by-embeddings.mjs', async () => {
  mkdirSync(join(dir, 'notes'));
  writeFileSync(join(dir, 'notes/a.md'), '# Pets\n\nA cat sits on the mat.\n\nRain tomorrow.\n');
  const { stdout } = await runIn(dir, ['search-by-embeddings.mjs', 'notes', 'a cat sits on the mat']);
  expect(stdout).toMatch(/^0\.\d{3} a\.md:3\nA cat sits on the mat\.\n\n/);
});

it('bot.mjs: channels at once, each with a conversation that outlives the program', async () => {
  const talk = [
    '#math ann: @bot What is 17 plus 25?',
    '#math bob: nothing for the bot',
    '#travel eve: @bot What is the capital of France?',
    'not a message',
  ];
  const { stdout } = await runIn(dir, ['bot.mjs', 'demo', 'kept.json'], talk.join('\n'));
  const lines = stdout.trim().split('\n').sort();
  expect(lines).toEqual([
    expect.stringMatching(/^#math bot: \S/),
    expect.stringMatching(/^#travel bot: .*Paris/),
  ]);
  await runIn(
    dir,
    ['bot.mjs', 'demo', 'kept.json'],
    '#travel eve: @bot Thank you!\n#travel eve: @bot stop\n',
  );
  const kept = JSON.parse(readFileSync(join(dir, 'kept.json'), 'utf8'));
  expect(Object.keys(kept).sort()).toEqual(['#math', '#travel']);
  expect(kept['#travel'].filter(({ role }: { role: string }) => role === 'user')).toHaveLength(2);
});

it('the main process of an Electron app', async () => {
  const { stdout } = await runIn(dir, ['electron/main.mjs']);
  expect(stdout).toMatch(/^true\n.*Paris.* true\ntrue\nended\n$/);
});

it.each(['mcp.mjs', 'search-by-embeddings.mjs'])(
  '%s without what it needs says how to use it',
  async name => {
    await expect(runIn(dir, [name])).rejects.toMatchObject({ code: 2 });
  },
);
