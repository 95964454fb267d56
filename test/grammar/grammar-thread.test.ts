import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GrammarThread, type GrammarThreadOptions } from '../../src/grammar/grammar-thread.ts';
import { responseGrammar } from '../../src/grammar/response-format.ts';
import { ByteTokenizer } from './wishing-engine.ts';

// A thread loads compiled files only.
const WORKER = new URL('../../dist/grammar/grammar-worker.js', import.meta.url);
const tokenizer = new ByteTokenizer(['{"city', '日本']);

function thread(options: GrammarThreadOptions = {}) {
  const size = tokenizer.stop + 1;
  const bytesOf = (id: number) => (id < tokenizer.stop ? tokenizer.bytesOf(id) : undefined);
  const grammars = new GrammarThread(
    { size, bytesOf, stopIds: [tokenizer.stop] },
    { worker: WORKER, ...options },
  );
  onTestFinished(() => grammars.close());
  return grammars;
}

const grammar = responseGrammar({
  type: 'json_schema',
  schema: { type: 'object', properties: { city: { enum: ['日本', '日没'] } }, required: ['city'] },
});
const has = (allowed: Uint8Array, id: number) => (((allowed[id >> 3] as number) >> (id & 7)) & 1) === 1;

describe('a thread of grammars', () => {
  test('follows texts and tokens, and says what may come', async () => {
    const grammars = thread();
    await grammars.prepare(grammar);
    const { matcher, accepted } = await grammars.start(grammar, ['{', '"ci', 'xx']);
    expect(accepted).toBe(2);
    expect((await matcher.next()).forced).toBe('ty"');
    expect(await matcher.accept(tokenizer.encode('ty": "'))).toBe(6);
    const { allowed, complete, forced } = await matcher.next();
    expect([complete, forced.startsWith('日')]).toEqual([false, true]);
    const [whole, byte] = [tokenizer.encode('日本')[0] as number, tokenizer.encode('日')[0] as number];
    expect([has(allowed, whole), has(allowed, byte), has(allowed, 97), has(allowed, tokenizer.stop)]).toEqual(
      [true, true, false, false],
    );
    expect(await matcher.accept([whole, 97, 34])).toBe(1);
    expect(await matcher.accept(tokenizer.encode('"}'))).toBe(2);
    expect((await matcher.next()).complete).toBe(true);
    matcher.close();
    await expect(matcher.next()).rejects.toThrow('there is no matcher');
  });

  test('many matchers go on side by side', async () => {
    const grammars = thread();
    const started = await Promise.all([1, 2, 3].map(() => grammars.start(grammar, ['{"city"'])));
    const accepted = await Promise.all(
      started.map(({ matcher }, index) => matcher.accept(tokenizer.encode(': "'.slice(0, index + 1)))),
    );
    expect(accepted).toEqual([1, 2, 3]);
  });

  test('a grammar that is none is told', async () => {
    const grammars = thread();
    await expect(grammars.prepare('root ::= nothing')).rejects.toThrow(/nothing/);
  });

  test('closed: what was asked and what will be asked is refused', async () => {
    const grammars = thread();
    const asked = grammars.prepare(grammar);
    const refused = expect(asked).rejects.toThrow('the grammar engine is closed');
    await grammars.close();
    await refused;
    await expect(grammars.start(grammar, [])).rejects.toThrow('the grammar engine is closed');
    await grammars.close();
    await thread().close();
  });

  test('an answer that takes too long ends the thread', async () => {
    const grammars = thread({ limitMs: 1 });
    await expect(grammars.prepare(grammar)).rejects.toThrow('the grammar was not ready after 0.001 s');
    await expect(grammars.prepare(grammar)).rejects.toThrow('the grammar was not ready');
  });

  test('behind one that took too long, or a crash, other grammars are followed again', async () => {
    const source = `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, op, grammar }) => {
        if (grammar === 'slow') for (;;);
        if (grammar === 'crash') process.exit(1);
        parentPort.postMessage({ id, ok: true, value: op === 'start' ? { matcher: 1, accepted: 0 } : undefined });
      });`;
    const worker = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    const grammars = thread({ worker, limitMs: 500 });
    const { matcher } = await grammars.start('good', []);
    for (const [text, why] of [
      ['slow', 'the grammar was not ready after 0.5 s'],
      ['crash', 'the grammar thread ended'],
    ] as const) {
      await expect(grammars.prepare(text)).rejects.toThrow(why);
      await grammars.prepare('good');
    }
    // It was in a thread that has ended.
    expect(await matcher.next()).toBeUndefined();
    await grammars.close();
    await expect(matcher.next()).rejects.toThrow('the grammar engine is closed');
    await expect(grammars.prepare('good')).rejects.toThrow('the grammar engine is closed');
  });

  test('the wait for others is no time of its own, and who waits behind one that takes too long is asked again', async () => {
    const source = `
      import { parentPort } from 'node:worker_threads';
      const answer = ({ id, grammar }) => {
        if (grammar === 'endless') for (;;);
        for (const end = Date.now() + 200; Date.now() < end; );
        parentPort.postMessage({ id, ok: true, value: { matcher: 1, accepted: 0 } });
      };
      let last = Promise.resolve();
      parentPort.on('message', asked => { last = last.then(() => new Promise(setImmediate)).then(() => answer(asked)); });`;
    const worker = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    const grammars = thread({ worker, limitMs: 700 });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(text => grammars.prepare(text)));
    const endless = expect(grammars.prepare('endless')).rejects.toThrow('not ready after 0.7 s');
    const behind = [grammars.prepare('a'), grammars.start('b', []), grammars.prepare('c')];
    await endless;
    expect(await Promise.all(behind)).toMatchObject([undefined, { accepted: 0 }, undefined]);
  });

  test('behind a grammar that the library cannot read, others are followed', async () => {
    const grammars = thread();
    const deep = `root ::= ${'('.repeat(20_000)}"a"${')'.repeat(20_000)}`;
    const [failed, behind] = await Promise.allSettled([grammars.prepare(deep), grammars.prepare(grammar)]);
    expect([failed.status, behind.status]).toEqual(['rejected', 'fulfilled']);
    for (let i = 0; i < 2; i++) await expect(grammars.prepare('root ::= nothing')).rejects.toThrow(/nothing/);
    const { accepted } = await grammars.start(grammar, ['{', '"ci']);
    expect(accepted).toBe(2);
  });

  test('a matcher goes on where it was though others have ended its thread', async () => {
    const grammars = thread();
    const { matcher } = await grammars.start(grammar, ['{', '"ci']);
    expect(await matcher.accept(tokenizer.encode('ty": x'))).toBe(5);
    for (let i = 0; i < 2; i++) {
      const broken = expect(grammars.prepare('root ::= nothing')).rejects.toThrow(/nothing/);
      if (i === 1) await broken;
      // In the first round it waits behind that one, in the second it finds the thread gone.
      expect((await matcher.next()).forced.startsWith(i === 0 ? '"日' : '日')).toBe(true);
      expect(await matcher.accept(tokenizer.encode(i === 0 ? '"' : '日'))).toBe(i === 0 ? 1 : 3);
      await broken;
    }
    expect(await matcher.accept(tokenizer.encode('没"}'))).toBe(5);
    expect((await matcher.next()).complete).toBe(true);
    matcher.close();
    await expect(matcher.next()).rejects.toThrow('there is no matcher');
  });

  test('a worker that cannot start is told', async () => {
    const grammars = thread({ worker: new URL('gone.js', WORKER) });
    await expect(grammars.prepare(grammar)).rejects.toThrow(/gone\.js/);
  });

  test('keeps a process alive while it owes an answer, and no longer', async () => {
    expect(await inProcess('')).toBe('ready\n');
  });

  test('keeps a process alive until it has ended, an answer on its way or not', async () => {
    expect(await inProcess(`await grammars.close(); console.log('closed');`)).toBe('ready\nclosed\n');
    const answer = `const { matcher } = await grammars.start('root ::= "a"', []); matcher.close();`;
    expect(await inProcess(`${answer} await grammars.close(); console.log('closed');`)).toBe(
      'ready\nclosed\n',
    );
  });
});

test('however many grammars there were, only a few are kept', async () => {
  // In a process of its own, whose memory nothing else uses: over the demo's tokens a grammar takes 5 MB.
  const module = (name: string) => JSON.stringify(new URL(`../${name}`, WORKER).href);
  const source = `
    import { GrammarMatching } from ${module('grammar/grammar-matching.js')};
    import { responseGrammar } from ${module('grammar/response-format.js')};
    import { loadTokenizer } from ${module('model/load-tokenizer.js')};
    import { byteLetters } from ${module('tokens/byte-letters.js')};
    const tokenizer = loadTokenizer('demo', { cwd: '.', env: {} });
    const letters = byteLetters();
    const spelt = id => Array.from(tokenizer.bytesOf(id) ?? [], byte => letters[byte]).join('');
    const tokens = Array.from({ length: tokenizer.vocabSize }, (_, id) => spelt(id));
    const matching = await GrammarMatching.create({ tokens, stopIds: [0] });
    const prepare = async i => {
      const names = Array.from({ length: 8 }, (_, k) => 'field' + i + '_' + k);
      const properties = Object.fromEntries(names.map(name => [name, { type: 'string' }]));
      await matching.prepare(responseGrammar({ type: 'json_schema', schema: { type: 'object', properties } }));
    };
    for (let i = 0; i < 20; i++) await prepare(i);
    const before = process.memoryUsage().rss;
    for (let i = 20; i < 60; i++) await prepare(i);
    console.log(process.memoryUsage().rss - before);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
  expect(Number(stdout)).toBeLessThan(60e6);
});

/** What a process of its own prints that prepares a grammar, then runs `rest`. */
async function inProcess(rest: string): Promise<string> {
  const source = `
    import { GrammarThread } from ${JSON.stringify(new URL('grammar-thread.js', WORKER).href)};
    const bytesOf = id => (id < 256 ? Uint8Array.of(id) : undefined);
    const grammars = new GrammarThread({ size: 257, bytesOf, stopIds: [256] });
    await grammars.prepare('root ::= "a"');
    console.log('ready');
    ${rest}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
  return stdout;
}
