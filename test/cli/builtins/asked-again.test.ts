import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { ReplyEvent } from '../../../src/agent/model/chat-model.ts';
import type { ChatPrompt } from '../../../src/cli/session/last-prompt.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { collect, content, type FakeModel, STATS } from '../../agent/fakes.ts';
import { place } from './place.ts';

afterEach(() => vi.unstubAllEnvs());

const broken = () => new LlmHostError('ENGINE', 'it broke');

/** A talk with a terminal, whose editor keeps what it opens and runs a script over it. */
function talk(...replies: readonly (string | Error)[]) {
  const found = place(
    replies.map(reply => (reply instanceof Error ? reply : [content(reply)])) as ConstructorParameters<
      typeof FakeModel
    >[0],
  );
  const { folder, session, type } = found;
  const terminal = {
    write: () => undefined,
    lend: () => () => undefined,
    blockedBy: <T>(work: () => T) => work(),
  };
  const ask = (prompt: ChatPrompt) => collect(session.turn(prompt, new AbortController().signal));
  const editor = join(folder, 'editor');
  vi.stubEnv('VISUAL', editor);
  return {
    ...found,
    ask,
    /** What a command says, or the events of the turn that it asks for. */
    run: async (line: string) => {
      const result = await type(line, { terminal });
      return result?.prompt ? await ask(result.prompt) : result?.output;
    },
    edits: (script: string) => {
      writeFileSync(editor, `#!/bin/sh\ncp "$1" "${folder}/opened"\n${script}\n`);
      chmodSync(editor, 0o755);
    },
    opened: () => readFileSync(join(folder, 'opened'), 'utf8'),
    said: () => session.history.messages.slice(1).map(message => message.content),
    saved: () => {
      const [copy] = session.folder.list();
      const { messages } = JSON.parse(readFileSync(copy?.path ?? '', 'utf8'));
      return messages.slice(1).map((message: { content: string }) => message.content);
    },
  };
}

test('a prompt whose turn failed is the last one: /retry asks it, and the turn before stays', async () => {
  const { ask, run, said, saved } = talk('1', broken(), broken(), '2');
  await ask({ text: 'A' });
  await ask({ text: 'B' });
  expect(await run('/retry')).toContainEqual(expect.objectContaining({ type: 'error', message: 'it broke' }));
  expect([said(), saved()]).toEqual([
    ['A', '1'],
    ['A', '1'],
  ]);
  await run('/retry');
  expect([said(), saved()]).toEqual([
    ['A', '1', 'B', '2'],
    ['A', '1', 'B', '2'],
  ]);
});

test('a /retry that fails leaves the turn, which can be asked again', async () => {
  const { ask, run, said, saved, session } = talk('1', '2', broken(), '3');
  await ask({ text: 'A' });
  await ask({ text: 'B' });
  const used = session.contextParts().total;
  await run('/retry');
  expect([said(), saved(), session.contextUsed]).toEqual([said(), said(), used]);
  expect(said()).toEqual(['A', '1', 'B', '2']);
  await run('/retry');
  expect(said()).toEqual(['A', '1', 'B', '3']);
});

/** A reply that the user cancels once the model has written this much. */
function cancelled(abort: AbortController, ...written: ReplyEvent[]) {
  return async function* () {
    yield* written;
    abort.abort();
    return { ...STATS, finishReason: 'cancelled' as const };
  };
}

test.each([
  ['before the first token', []],
  ['while the model thinks', [{ type: 'thinking' as const, text: 'hm' }]],
])('a /retry that is cancelled %s leaves the turn, which can be asked again', async (_when, written) => {
  const abort = new AbortController();
  const found = place([[content('1')], [content('2')], cancelled(abort, ...written), [content('3')]]);
  const { session, type } = found;
  const retry = async (signal: AbortSignal) => {
    const result = await type('/retry');
    return await collect(session.turn(result?.prompt as ChatPrompt, signal));
  };
  const said = () => session.history.messages.slice(1).map(message => message.content);
  const never = new AbortController().signal;
  for (const text of ['A', 'B']) await collect(session.turn({ text }, never));
  const used = session.contextParts().total;
  await retry(abort.signal);
  expect([said(), session.contextUsed]).toEqual([['A', '1', 'B', '2'], used]);
  await retry(never);
  expect(said()).toEqual(['A', '1', 'B', '3']);
});

test('a /retry that is cancelled in its answer keeps what was said', async () => {
  const abort = new AbortController();
  const { session, type } = place([[content('1')], cancelled(abort, content('2, and'))]);
  await collect(session.turn({ text: 'A' }, abort.signal));
  const { prompt } = (await type('/retry')) ?? {};
  await collect(session.turn(prompt as ChatPrompt, abort.signal));
  expect(session.history.messages.slice(1).map(message => message.content)).toEqual(['A', '2, and']);
});

test('/edit opens the prompt that failed, and drops no turn', async () => {
  const { ask, edits, opened, run, said } = talk('1', broken(), '2');
  await ask({ text: 'A' });
  await ask({ text: 'B' });
  edits('printf C > "$1"');
  await run('/edit');
  expect([opened(), said()]).toEqual(['B', ['A', '1', 'C', '2']]);
});

test('an edited prompt that fails leaves the turn, and /retry asks it in the place of that', async () => {
  const { ask, edits, opened, run, said, saved } = talk('1', broken(), broken(), '2');
  await ask({ text: 'A' });
  edits('printf B > "$1"');
  await run('/edit');
  expect([said(), saved()]).toEqual([
    ['A', '1'],
    ['A', '1'],
  ]);
  edits('printf C > "$1"');
  await run('/edit');
  expect([opened(), said()]).toEqual(['B', ['A', '1']]);
  await run('/retry');
  expect(said()).toEqual(['C', '2']);
});

test('a prompt that names a missing file can be retried once it is there, or edited', async () => {
  const { ask, edits, folder, opened, run, said } = talk('1', '2', '3');
  await ask({ text: 'A' });
  const file = join(folder, 'late.txt');
  const missing = expect.objectContaining({ type: 'error', code: 'USAGE' });
  expect(await ask({ text: `read @${file}` })).toContainEqual(missing);
  expect(await run('/retry')).toContainEqual(missing);
  expect(said()).toEqual(['A', '1']);
  writeFileSync(file, 'late');
  await run('/retry');
  expect(said()).toEqual(['A', '1', expect.stringContaining('late\n```'), '2']);
  edits(`printf 'read @${file}.none' > "$1"`);
  expect(await run('/edit')).toContainEqual(missing);
  expect([opened(), said()]).toEqual([
    `read @${file}`,
    ['A', '1', expect.stringContaining('late\n```'), '2'],
  ]);
});

test.each([
  ['/undo', 'A', ['A', '3']],
  ['/clear', undefined, []],
  ['/load', 'A', ['A', '3']],
])('after %s a prompt that failed is gone', async (line, asked, after) => {
  const { ask, folder, model, run, said, type } = talk('1', '2', broken(), '3');
  await ask({ text: 'A' });
  await type(`/save ${folder}/talk.json`);
  await ask({ text: 'B' });
  await ask({ text: 'C' });
  await run(line === '/load' ? `/load ${folder}/talk.json` : line);
  const retried = await run('/retry');
  if (asked === undefined) expect(retried).toBe('There is no prompt to ask again.');
  else expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe(asked);
  expect(said()).toEqual(after);
});

test('after /undo the prompt before is known as it was typed', async () => {
  const { ask, edits, opened, run } = talk('1', '2', '3');
  await ask({ text: 'A', data: 'with a file' });
  await ask({ text: 'B' });
  await run('/undo');
  edits('printf C > "$1"');
  await run('/edit');
  expect(opened()).toBe('A');
});

test('/edit attaches no file that a folded paste names, but those that the user names', async () => {
  const { ask, edits, folder, run, said } = talk('1', '2', '3', '4');
  for (const name of ['mine', 'secret', 'new']) writeFileSync(join(folder, name), `what is in ${name}`);
  await ask({
    text: `@${folder}/mine is like\n@${folder}/secret`,
    naming: `@${folder}/mine is like [paste]`,
  });
  const attached = () => said()[0]?.match(/what is in \w+/g);
  expect(attached()).toEqual(['what is in mine']);
  edits('printf " please" >> "$1"');
  await run('/edit');
  expect([attached(), said()[0]]).toEqual([['what is in mine'], expect.stringContaining('secret please')]);
  edits(`printf ', and @${folder}/new' >> "$1"`);
  await run('/edit');
  expect(attached()?.sort()).toEqual(['what is in mine', 'what is in new']);
  edits(`printf ' @${folder}/secret!' >> "$1"`);
  await run('/edit');
  expect(attached()).toHaveLength(3);
});

test('/edit attaches no resource that a folded paste names, but those that the user names', async () => {
  const { ask, edits, naming, run } = talk('1', '2', '3');
  await ask({ text: '@x:mine is like\n@x:secret', naming: '@x:mine is like [paste]' });
  edits('printf " please" >> "$1"');
  await run('/edit');
  edits('printf ", and @x:new" >> "$1"');
  await run('/edit');
  expect(naming).toEqual(['@x:mine is like [paste]', '@x:mine', '@x:mine\n@x:new']);
});

test('/edit of a loaded prompt resolves nothing in the texts of its files again', async () => {
  const { ask, edits, folder, run, said, type } = talk('1', '2');
  writeFileSync(join(folder, 'mine'), `see @${folder}/secret`);
  for (const name of ['secret', 'new']) writeFileSync(join(folder, name), `what is in ${name}`);
  await ask({ text: `read @${folder}/mine` });
  await type(`/save ${folder}/talk.json`);
  await type(`/load ${folder}/talk.json`);
  edits(`printf '\nand @${folder}/new' >> "$1"`);
  await run('/edit');
  expect(said()[0]?.match(/what is in \w+/g)).toEqual(['what is in new']);
});
