import { checkResponseFormat } from '../../../src/grammar/response-format.ts';
import { coerce } from '../../../src/parse/calls/coerce.ts';
import { exampleArguments } from '../../../src/parse/calls/example-arguments.ts';
import { resolveCall } from '../../../src/parse/calls/resolve-call.ts';
import { ToolCatalog } from '../../../src/parse/calls/tool-catalog.ts';
import { createToolParser } from '../../../src/parse/create-tool-parser.ts';
import { formatIds, formatNamed } from '../../../src/parse/formats/table.ts';
import { readJson } from '../../../src/parse/json/lenient-json.ts';
import { checkSchema } from '../../../src/parse/json/schema-check.ts';
import { loadResponseTemplate } from '../../../src/parse/response-template/load.ts';
import type { ParseEvent } from '../../../src/parse/types/parse-event.ts';
import type { FuzzTarget } from '../harness/target.ts';

const text = (input: Uint8Array) => Buffer.from(input).toString('utf8');
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'add',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'write_file',
      parameters: {
        type: 'object',
        properties: { filename: { type: 'string' }, tags: { type: 'array', items: { enum: ['x', 'y'] } } },
      },
    },
  },
];
const CATALOG = new ToolCatalog(TOOLS);
const FORMATS = formatIds();
const CALLS = [
  { name: 'add', arguments: { a: 2, b: -3.5 } },
  { name: 'write_file', arguments: { filename: 'a "b".txt', tags: ['x'] } },
];

/** What the events say, however the text was cut. */
function merged(events: readonly ParseEvent[]): unknown[] {
  const out: { type: string; text?: string }[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if ('text' in event && last?.type === event.type && last.text !== undefined) last.text += event.text;
    else out.push('text' in event ? { type: event.type, text: event.text } : { ...event });
  }
  return out;
}

/** The first byte chooses the format, the second where the text is cut. */
const toolCallText: FuzzTarget = {
  name: 'tool-call-text',
  files: /src\/parse\/(stream|bodies|formats|calls)\/[\w-]+\.ts/,
  seeds: () =>
    FORMATS.map((id, index) =>
      Buffer.concat([
        Buffer.from([index, 3]),
        Buffer.from(`Let me see.${formatNamed(id)?.writeCalls(CALLS) ?? ''} done`),
      ]),
    ),
  dictionary: FORMATS.flatMap(
    id => formatNamed(id)?.thinking.flatMap(({ opener, closer }) => [opener, closer]) ?? [],
  ),
  run: input => {
    const format = FORMATS[(input[0] ?? 0) % FORMATS.length] as string;
    const step = 1 + ((input[1] ?? 0) % 16);
    const reply = text(input.subarray(2));
    const whole = createToolParser({ format, tools: TOOLS });
    const events = [...whole.push(reply), ...whole.end({ finished: true })];
    const cut = createToolParser({ format, tools: TOOLS });
    const pieces: ParseEvent[] = [];
    for (let at = 0; at < reply.length; at += step) pieces.push(...cut.push(reply.slice(at, at + step)));
    pieces.push(...cut.end({ finished: true }));
    const [one, other] = [merged(events), merged(pieces)].map(list =>
      JSON.stringify(list, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
    );
    if (one !== other) throw new Error(`${format}: cut into ${step}: ${other}; whole: ${one}`);
    for (const event of events) if (event.type === 'call') resolveCall(event, CATALOG);
  },
};

const jsonRepair: FuzzTarget = {
  name: 'json-repair',
  files: /src\/parse\/json\/(lenient-json|literal)\.ts/,
  seeds: () => [
    '{"a": 1, "b": [true, null]}',
    "{'a': None, b: 1,}",
    '```json\n{"a": "x"}\n```',
    '{"a": 12345678901234567890',
  ],
  dictionary: ['True', 'None', "'", '```', '...', '0x1', '1_000'],
  run: input => {
    const reading = readJson(text(input), true);
    const strict = readJson(text(input), false);
    if (strict.ok && !reading.ok) throw new Error('repair makes it worse');
  },
};

const schemas: FuzzTarget = {
  name: 'schemas',
  files: /src\/(parse\/(calls|json)\/[\w-]+|grammar\/(json-grammar|schema-[\w-]+|response-format|ebnf))\.ts/,
  seeds: () => [
    JSON.stringify([TOOLS[0]?.function.parameters, { a: '1', b: 2 }]),
    '[{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/n"}}]}}},{"n":[[]]}]',
    '[{"type":"string","pattern":"^a+$","minLength":1,"format":"date"},"aa"]',
    '[{"oneOf":[{"const":1},{"enum":["x",null]}],"allOf":[{"type":["integer","string"]}]},"x"]',
    '[{"type":"object","additionalProperties":{"type":"number"},"patternProperties":{"^x":{"type":"string"}},"required":["constructor"]},{"x":1}]',
  ],
  dictionary: [
    '"minItems":3',
    '"maxProperties":1',
    '"not":{}',
    '"if":{}',
    '"$ref":"#"',
    '"prefixItems":[]',
    '"exclusiveMinimum":0',
    '"uniqueItems":true',
    '"dependentRequired":{}',
  ],
  limitMs: 10_000,
  run: input => {
    let pair: unknown;
    try {
      pair = JSON.parse(text(input));
    } catch {
      return;
    }
    if (!Array.isArray(pair) || typeof pair[0] !== 'object' || pair[0] === null) return;
    const [schema, value] = pair as [Record<string, unknown>, unknown];
    checkSchema(schema, coerce(value, schema).value);
    exampleArguments(schema);
    checkResponseFormat({ type: 'json_schema', schema });
  },
};

const responseTemplate: FuzzTarget = {
  name: 'response-template',
  files: /src\/parse\/response-template\/[\w-]+\.ts/,
  seeds: () => [
    '{"version":1,"fields":{"content":{},"thinking":{"open":"<think>","close":"</think>"},"tool_calls":{"open":"<call>","close":"</call>","content":"json","repeats":true}}}',
    '{"version":1,"fields":{"content":{"open_pattern":"<a|b>","close":"x"}}}',
  ],
  dictionary: [
    '"open_pattern":"(a+)+$"',
    '"content":"xml-inline"',
    '"content":"gemma4-tool-call"',
    '"repeats":true',
    '"transform":"{}"',
    '"optional":true',
  ],
  run: input => {
    let spec: unknown;
    try {
      spec = JSON.parse(text(input));
    } catch {
      return;
    }
    if (typeof spec !== 'object' || spec === null) return;
    loadResponseTemplate(spec);
    const parser = createToolParser({ responseTemplate: spec, tools: TOOLS });
    for (const piece of [
      '<think>a</th',
      'ink>b<call>{"name": "add", "arg',
      'uments": {"a": 1}}</call> <a|b> x',
    ])
      parser.push(piece);
    parser.end({ finished: true });
  },
};

export const CALL_TARGETS: readonly FuzzTarget[] = [toolCallText, jsonRepair, schemas, responseTemplate];
