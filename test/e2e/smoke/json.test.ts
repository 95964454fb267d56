import { expect, test } from 'vitest';
import { eventsOf } from '../../cli/chat/event-checker.ts';
import { runProgram, SCRIPTED_MAIN } from '../program.ts';
import { CALCULATOR, type Script, scripted } from '../scripted.ts';

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 17, "b": 25}}\n</tool_call>';

const place = (script: Script) => scripted(script, { calculator: CALCULATOR });

const typesOf = (events: { type: string }[]) =>
  events.map(event => event.type).filter((type, index, all) => type !== all[index - 1]);

test('a turn with a tool call: all events, in order, as the schema says', async () => {
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--json', '-p', 'sum?'], {
    ...place({ replies: [CALL, 'It is 42.'] }),
  });
  const events = eventsOf(stdout);
  expect(typesOf(events)).toEqual([
    ...['start', 'ready', 'user', 'prefill', 'stats', 'tool_call', 'tool_result'],
    ...['prefill', 'token', 'stats', 'assistant', 'end'],
  ]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', text: '42' }));
  expect(events.at(-1)).toMatchObject({ type: 'end', code: 0 });
  expect(code).toBe(0);
});

test('prompts, broken requests and commands as lines on stdin; the text of a prompt is no command', async () => {
  const said = ['one', 'quit', '/stats', 'tools'].map(text => JSON.stringify({ type: 'prompt', text }));
  const stdin = `${said.join('\n')}\n{"type":\ntwo\n/tools\n/nonsense\nquit\nnever\n`;
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--json'], {
    ...place({ replies: ['1', '2', '3', '4', '5'] }),
    stdin,
  });
  const events = eventsOf(stdout);
  const answers = events.filter(event => event.type === 'assistant').map(event => event.text);
  expect(answers).toEqual(['1', '2', '3', '4', '5']);
  expect(events).toContainEqual(expect.objectContaining({ type: 'error', code: 'USAGE' }));
  const notices = events.filter(event => event.type === 'notice').map(event => event.message);
  expect(notices).toEqual([
    expect.stringContaining('add (calculator)'),
    expect.stringContaining('Unknown command'),
  ]);
  expect([events.at(-1)?.type, code]).toEqual(['end', 0]);
});
