import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventsOf } from '../../cli/chat/event-checker.ts';
import { runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

const SERVER = fileURLToPath(new URL('../../fixtures/mcp/small.mjs', import.meta.url));

const schema = (properties: Readonly<Record<string, string>>) => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([key, type]) => [key, { type }])),
  required: Object.keys(properties),
});

/** Five servers, each with an `add` of its own; the last two cannot be told apart by their arguments. */
const ADDS = {
  calculator: ['Adds two numbers.', schema({ a: 'number', b: 'number' })],
  cart: ['Puts a product into the cart.', schema({ product: 'string', count: 'integer' })],
  calendar: ['Enters an event.', schema({ day: 'string', title: 'string' })],
  notes: ['Writes a note.', schema({ text: 'string' })],
  marks: ['Sets a mark.', schema({ text: 'string' })],
} as const;

const SUM = { a: 1, b: 2 };
const TEA = { product: 'tea', count: 2 };
const DAY = { day: 'Monday', title: 'x' };
const TEXT = { text: 'x' };

/** What the model calls, and which server has to run it; `asked`: after the model was asked once. */
const CALLS: readonly (readonly [string, object, keyof typeof ADDS, 'asked'?])[] = [
  ['add', SUM, 'calculator'],
  ['add', TEA, 'cart'],
  ['add', DAY, 'calendar'],
  ['add', TEXT, 'notes', 'asked'],
  ['add', TEXT, 'notes'],
  ['marks.add', TEXT, 'marks'],
  ['Add', TEXT, 'marks'],
  ['ADD', { a: '1', b: '2' }, 'calculator'],
  ['functions.add', SUM, 'calculator'],
  ['cart/add', { product: 'tea', count: '3' }, 'cart'],
  ['cart:add', TEA, 'cart'],
  ['cart_add', TEA, 'cart'],
  ['calendar-add', DAY, 'calendar'],
  ['adds', SUM, 'calculator'],
  ['Calculator__Add', SUM, 'calculator'],
  ['addd', SUM, 'calculator', 'asked'],
  ['add_numbers', SUM, 'calculator', 'asked'],
  ['calc__add', SUM, 'calculator', 'asked'],
  ['add', { ...SUM, extra: true }, 'calculator', 'asked'],
  ['add', {}, 'calculator', 'asked'],
];

/** Answers `turn:N`: the call N; when asked, the same with the full name; then the end. */
const MODEL = `
const calls = JSON.parse(${JSON.stringify(JSON.stringify(CALLS))});
const write = (name, args) => '<tool_call>\\n' + JSON.stringify({ name, arguments: args }) + '\\n</tool_call>';
const fits = { calculator: ${JSON.stringify(SUM)}, notes: ${JSON.stringify(TEXT)} };
export function reply(prompt) {
  const start = prompt.lastIndexOf('turn:');
  const [name, args, server] = calls[Number.parseInt(prompt.slice(start + 5), 10)];
  const rest = prompt.slice(start);
  if (rest.includes(server + '.add {')) return 'done';
  return rest.includes('by its full name') ? write(server + '__add', fits[server]) : write(name, args);
}
`;

test('five servers with a tool `add`: 20 of 20 bare or slightly wrong calls run the right one, or the model is asked once', {
  timeout: 120_000,
}, async () => {
  const servers = Object.fromEntries(
    Object.entries(ADDS).map(([name, [description, inputSchema]]) => [
      name,
      {
        command: process.execPath,
        args: [SERVER, name, JSON.stringify([{ name: 'add', description, inputSchema }])],
      },
    ]),
  );
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "Be brief." }',
    'mcp.json': JSON.stringify({ servers }),
  });
  const script = { module: join(dir, 'model.mjs') };
  writeFileSync(script.module, MODEL);
  writeFileSync(join(dir, 'script.json'), JSON.stringify(script));
  const stdin = CALLS.map((_, at) => `${JSON.stringify({ type: 'prompt', text: `turn:${at}` })}\n`).join('');
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--json'], {
    cwd: dir,
    env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') },
    stdin,
  });
  expect(code).toBe(0);
  const turns: Record<string, unknown>[][] = [];
  for (const event of eventsOf(stdout)) {
    if (event.type === 'user') turns.push([]);
    turns.at(-1)?.push(event);
  }
  const outcomes = turns.map(events => {
    const ran = events.flatMap(({ type, text }) =>
      type === 'tool_result' ? [String(text).split('.')[0]] : [],
    );
    const asked = events.filter(({ type }) => type === 'tool_error');
    for (const { message } of asked) expect(message).toMatch(/by its full name:\n- \w+__add: .*\.(?:\n- |$)/);
    return [ran.join(), asked.length];
  });
  expect(outcomes).toEqual(CALLS.map(([, , server, asked]) => [server, asked ? 1 : 0]));
});
