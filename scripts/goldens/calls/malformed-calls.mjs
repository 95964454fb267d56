// Writes test/fixtures/malformed-calls.jsonl: calls broken the way small models break them, each with the intended
// call. `run`: the call that must run; null: nothing may run. Seeded: the same file every time.
//
//   node scripts/goldens/calls/malformed-calls.mjs
import { writeFileSync } from 'node:fs';

const PER_KIND = 12;
let state = 20261121;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const pick = list => list[Math.floor(random() * list.length)];

const texts = [
  "it's here",
  'a "quoted" word',
  '日本語 text',
  'x < y && y > z',
  'line one\nline two',
  'C:\\temp',
  '{"k": 1}',
  'plain',
];
const makers = [
  () => ({
    name: 'add',
    arguments: { a: Math.floor(random() * 900) - 300, b: Math.floor(random() * 900) / 4 },
  }),
  () => ({
    name: 'search_files',
    arguments: {
      pattern: pick(['*.ts', 'report', '2026']),
      limit: 1 + Math.floor(random() * 20),
      kind: pick(['file', 'dir', 'both']),
    },
  }),
  () => ({
    name: 'write_file',
    arguments: { filename: pick(['a.txt', 'notes/b.md']), content: pick(texts) },
  }),
  () => ({
    name: 'send_mail',
    arguments: {
      to: ['ann@example.org', 'bob@example.org'].slice(0, 1 + Math.floor(random() * 2)),
      subject: pick(texts),
      urgent: random() < 0.5,
    },
  }),
];
const wrap = body => `<tool_call>\n${body}\n</tool_call>`;
const json = call =>
  JSON.stringify(call, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
const python = value => {
  if (typeof value === 'string')
    return `'${value.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, item]) => `'${key}': ${python(item)}`)
      .join(', ')}}`;
  return String(value);
};
const asTexts = args =>
  Object.fromEntries(
    Object.entries(args).map(([key, item]) => [key, typeof item === 'string' ? item : JSON.stringify(item)]),
  );
const title = name => name.replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase());

/** Kinds with one sensible reading. */
const REPAIRABLE = {
  'missing brace': call => wrap(json(call).slice(0, -1)),
  'missing braces': call => wrap(json(call).slice(0, -2)),
  'extra brace': call => wrap(`${json(call)}}`),
  'single quotes': call => wrap(python(call)),
  'trailing comma': call => wrap(json(call).replace(/\}\}$/, ',}}')),
  fences: call => wrap(`\`\`\`json\n${json(call)}\n\`\`\``),
  'fence alone': call => `\`\`\`json\n${json(call)}\n\`\`\``,
  'no marks': call => json(call),
  'prose around': call => `Sure, I will do that.\n${wrap(json(call))}\nLet me know if that helps!`,
  'wrong case': call =>
    wrap(
      json({
        name: pick([title(call.name), call.name.toUpperCase(), call.name.replace('_', '-')]),
        arguments: call.arguments,
      }),
    ),
  namespace: call => wrap(json({ name: `functions.${call.name}`, arguments: call.arguments })),
  'double-encoded arguments': call =>
    wrap(json({ name: call.name, arguments: JSON.stringify(call.arguments) })),
  'other keys': call => wrap(JSON.stringify({ tool: call.name, parameters: call.arguments })),
  'values as texts': call => wrap(json({ name: call.name, arguments: asTexts(call.arguments) })),
  'missing closer': call => `<tool_call>\n${json(call)}`,
  'trailing text': call => `${wrap(json(call))} I have called the tool.`,
  'bare keys': call =>
    wrap(
      json(call).replace(
        /"(name|arguments|a|b|pattern|limit|kind|filename|content|to|subject|urgent)":/g,
        '$1:',
      ),
    ),
  'OpenAI envelope': call =>
    wrap(
      JSON.stringify({
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      }),
    ),
};
/** Kinds where a guess could do harm. */
const AMBIGUOUS = {
  truncated: call => ({
    text: `<tool_call>\n${json(call).slice(0, 20 + Math.floor(random() * (json(call).length - 24)))}`,
    finished: false,
  }),
  'wrong name': call =>
    wrap(
      json({
        name: pick(['ad', 'searchfile', 'write', 'mail', 'adds', 'delete_file', 'write_files']),
        arguments: call.arguments,
      }),
    ),
  'missing argument': call =>
    wrap(json({ name: call.name, arguments: Object.fromEntries(Object.entries(call.arguments).slice(1)) })),
  'no JSON': call => wrap(`call ${call.name} with ${Object.values(call.arguments).join(' and ')}`),
  'wrong type': call =>
    wrap(json({ name: 'add', arguments: { a: 'seventeen', b: JSON.stringify(call.arguments) } })),
  'talked about': call =>
    `To do this one would write {"name": "${call.name}"} in the call, with its arguments.`,
};

const rows = [];
for (const [kind, write] of Object.entries(REPAIRABLE)) {
  for (let index = 0; index < PER_KIND; index++) {
    const call = makers[index % makers.length]();
    rows.push({ kind, finished: true, text: write(call), run: call });
  }
}
for (const [kind, write] of Object.entries(AMBIGUOUS)) {
  for (let index = 0; index < PER_KIND; index++) {
    const made = write(makers[index % makers.length]());
    rows.push({ kind, finished: true, ...(typeof made === 'string' ? { text: made } : made), run: null });
  }
}
const target = new URL('../../../test/fixtures/malformed-calls.jsonl', import.meta.url);
writeFileSync(target, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
console.log(`${rows.length} cases, ${rows.filter(row => row.run).length} with one reading`);
