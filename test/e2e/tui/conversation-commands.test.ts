import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 180_000;

function place(replies: readonly string[]) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "Be brief." }',
    'mcp.json': '{ "servers": {} }',
    'script.json': JSON.stringify({ replies }),
    editor: '#!/bin/sh\nprintf "typed in the editor" > "$1"\n',
  });
  chmodSync(join(dir, 'editor'), 0o755);
  const own = { LLM_HOST_SCRIPT: join(dir, 'script.json'), EDITOR: join(dir, 'editor') };
  return { dir, env: { ...env, ...own } };
}

test.each([
  ['on the screen', []],
  ['in line mode', ['--plain']],
])(
  '%s: /copy, /edit, /save, /clear, /load, a note after the turn',
  { timeout: LIMIT_MS },
  async (_where, args) => {
    const { dir, env } = place(['A **bold** answer.', 'Another answer.']);
    const notify = ['--notify', 'osc9', '--notify-after', '0'];
    const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--quiet', ...notify, ...args], dir, env);
    await terminal.displays('prompt ->');
    terminal.type('the first prompt\r');
    await terminal.displays('answer.');
    await terminal.shows('\u001b]9;llm-host: A **bold** answer.\u0007');
    terminal.type('/copy\r');
    await terminal.displays('Copied the last reply');
    expect(terminal.screen).toContain(
      `\u001b]52;c;${Buffer.from('A **bold** answer.').toString('base64')}\u0007`,
    );
    terminal.type('/edit\r');
    await terminal.displays('Another answer.');
    terminal.type('/save talk.json\r');
    await terminal.displays('Saved to');
    const { messages } = JSON.parse(readFileSync(join(dir, 'talk.json'), 'utf8'));
    expect(messages.map((message: { content: string }) => message.content)).toEqual([
      'Be brief.',
      'typed in the editor',
      'Another answer.',
    ]);
    terminal.type('/clear\r');
    await terminal.displays('The conversation was cleared.');
    terminal.type('/load talk.json\r');
    await terminal.displays('Loaded 1 turn');
    await terminal.displays('prompt -> typed in the editor', { times: 2 });
    const shown = (await terminal.displays('Another answer.', { times: 2 })).join('\n');
    expect(shown.lastIndexOf('Another answer.')).toBeGreaterThan(shown.indexOf('Loaded 1 turn'));
    const title = '\u001b]0;owned\u0007';
    const called = { id: 'c', type: 'function', function: { name: `add${title}`, arguments: {} } };
    const hostile = [
      { role: 'user', content: `${title}from a stranger` },
      { role: 'assistant', content: `${title}an answer to it`, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c', content: title },
      { role: 'assistant', content: `${title}the end of it` },
    ];
    writeFileSync(join(dir, 'stranger.json'), JSON.stringify(hostile));
    terminal.type('/load stranger.json\r');
    await terminal.displays('the end of it');
    expect(terminal.screen).not.toContain(title);
    terminal.type('bye\r');
    expect(await terminal.exits()).toBe(0);
  },
);

test.each([
  ['/edit on the screen', [], '/edit\r'],
  ['/edit in line mode', ['--plain'], '/edit\r'],
  ['Ctrl+G', [], '\u0007'],
])('%s: Ctrl+C in the editor is for the editor', { timeout: LIMIT_MS }, async (_how, args, keys) => {
  const { dir, env } = place(['An answer.', 'Another answer.']);
  // Longer than a blocked program is given to react; its sleep ends by the signal.
  const script = 'trap : INT\necho opened\nsleep 9\nsleep 3\nprintf changed > "$1"';
  writeFileSync(join(dir, 'editor'), `#!/bin/sh\n${script}\n`);
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--quiet', ...args], dir, env);
  await terminal.displays('prompt ->');
  terminal.type('the first prompt\r');
  await terminal.displays('An answer.');
  terminal.type(keys);
  await terminal.shows('opened');
  terminal.type('\u0003');
  await terminal.displays('prompt -> changed');
  if (keys !== '/edit\r') terminal.type('\r');
  await terminal.displays('Another answer.');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});

test('/compact on the screen, and what was typed meanwhile waits', { timeout: LIMIT_MS }, async () => {
  const long = 'words and more words '.repeat(20);
  const { dir, env } = place([long, `${long}2`, 'A summary.', 'Done.']);
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--quiet', '--save', 'talk.json'], dir, env);
  await terminal.displays('prompt ->');
  terminal.type('about Minka of 4711\r');
  await terminal.displays('words and more words');
  terminal.type('more\r/compact\rgo on\r');
  const shown = (await terminal.displays('1 turn became a summary')).join('\n');
  const steps = ['prompt -> /compact', 'The model summarizes', '1 turn became'].map(text =>
    shown.indexOf(text),
  );
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  await terminal.displays('Done.');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  const { messages, summarized } = JSON.parse(readFileSync(join(dir, 'talk.json'), 'utf8'));
  // Among the user's own words; what they do not say stands behind "Also mentioned".
  expect(messages[1].content).toContain('- about Minka of 4711');
  expect(summarized[0].content).toBe('about Minka of 4711');
});

test('/model with the real engine: a folder that is none leaves the old model; demo again goes on', {
  timeout: LIMIT_MS,
}, async () => {
  const { dir, env } = workplace({ 'mcp.json': '{ "servers": {} }' });
  writeFileSync(join(dir, 'not-a-model.gguf'), 'GGUF but cut');
  const terminal = new Terminal(MAIN, ['demo', '--plain', '--no-mcp'], dir, env, { cols: 200, rows: 40 });
  await terminal.displays('prompt ->');
  terminal.type('/model not-a-model.gguf\r');
  await terminal.displays('demo stays loaded.');
  terminal.type('/model dmeo\r');
  await terminal.displays("Did you mean 'demo'?");
  terminal.type('What is the capital of France?\r');
  await terminal.displays('Paris');
  terminal.type('/model demo\r');
  await terminal.displays('loaded in', { times: 2 });
  terminal.type('/retry\r');
  await terminal.displays('The capital of France is Paris', { times: 2 });
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});
