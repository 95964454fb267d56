import { jsonBody } from '../../bodies/json-body.ts';
import { nameThenJson } from '../../bodies/name-then-json.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { CallLayout, CallRegion, ChatFormat, ReadBody } from '../../types/format.ts';
import { OBJECT_LAYOUT } from './hermes.ts';

const named = nameThenJson(/^(?<name>[^[\]{}\s]+)\s*(?:\[CALL_ID\][^[]*)?(?:\[ARGS\](?<args>[\s\S]*))?$/);

/** Models old and new slip into each other's form, so every version reads both. */
const read: ReadBody = (body, context) => (/^\s*\[/.test(body) ? jsonBody : named)(body, context);

const region: CallRegion = {
  opener: '[TOOL_CALLS]',
  bracketsAfter: '[ARGS]',
  strings: JSON_STRINGS,
  breakers: ['[TOOL_CALLS]', '</s>'],
  follows: {
    starts: /^\s{0,8}(?:(?:\[\s{0,8})?\{|[^\s[\]{}]{1,64}(?:\[(?:CALL_ID|ARGS)\]|\{))/,
    may: /^\s{0,8}(?:\[\s{0,8}|[^\s[\]{}]{1,64}(?:\[[A-Z_]{0,7})?)?$/,
  },
  read,
};

const thinking = [
  { opener: '[THINK]', closer: '[/THINK]' },
  { opener: '<think>', closer: '</think>' },
] as const;

const shared = (layout: CallLayout) => ({ calls: [{ ...region, layout }], thinking });

/** Mistral ids have nine letters or digits. */
const idOf = (index: number) => `call${String(index + 1).padStart(5, '0')}`;

/** Mistral v3 and v7 (7B v0.3, Nemo, Small 3.1): one JSON list. */
export const mistralV3: ChatFormat = {
  ...shared({ ...OBJECT_LAYOUT, list: 'only', after: ['id'] }),
  id: 'mistral-v3',
  when: ['[TOOL_CALLS]'],
  writeCalls: calls =>
    `[TOOL_CALLS]${writeJson(calls.map((call, index) => ({ name: call.name, arguments: call.arguments, id: idOf(index) })))}`,
  writeResult: content => `[TOOL_RESULTS]${writeJson({ content })}[/TOOL_RESULTS]`,
};

/** Mistral's v3 text with another tokenizer. */
export const mistralV7: ChatFormat = { ...mistralV3, id: 'mistral-v7', when: [] };

/** Mistral v11 (Small 3.2): name, id, arguments. */
export const mistralV11: ChatFormat = {
  ...shared({ kind: 'named', between: '"[CALL_ID]" [0-9A-Za-z]{9} "[ARGS]"' }),
  id: 'mistral-v11',
  when: [['[TOOL_CALLS]', '[CALL_ID]', '[ARGS]']],
  writeCalls: calls =>
    calls
      .map(
        (call, index) => `[TOOL_CALLS]${call.name}[CALL_ID]${idOf(index)}[ARGS]${writeJson(call.arguments)}`,
      )
      .join(''),
  writeResult: content => `[TOOL_RESULTS][TOOL_CONTENT]${content}[/TOOL_RESULTS]`,
};

/** Mistral v13 (Devstral, Ministral 3, Magistral): name and arguments. */
export const mistralV13: ChatFormat = {
  ...shared({ kind: 'named', between: '"[ARGS]"' }),
  id: 'mistral-v13',
  when: [['[TOOL_CALLS]', '[ARGS]']],
  writeCalls: calls =>
    calls.map(call => `[TOOL_CALLS]${call.name}[ARGS]${writeJson(call.arguments)}`).join(''),
  writeResult: content => `[TOOL_RESULTS]${content}[/TOOL_RESULTS]`,
};
