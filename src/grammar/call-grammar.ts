import type { ToolDefinition } from '../chat/message.ts';
import type { CallLayout, CallRegion, ObjectLayout } from '../parse/types/format.ts';
import { Grammar, literal, oneOf, SPACE } from './ebnf.ts';
import { JsonGrammar, LEADING_SPACE } from './json-grammar.ts';

/** Anything after the call, in the same token or later. */
const REST = '[\\U00000000-\\U0010FFFF]*';
const COMMA = `${SPACE} "," ${SPACE}`;
const COLON = `${SPACE} ":" ${SPACE}`;

/**
 * The grammar of what follows a call's opener: a body naming one of the tools, with arguments that fit its schema,
 * the closer, then anything. undefined if there is no tool, or a schema is too complex.
 */
export function callGrammar(
  layout: CallLayout,
  { closer = '', closerEndsReply = false }: Pick<CallRegion, 'closer' | 'closerEndsReply'>,
  tools: readonly ToolDefinition[],
): string | undefined {
  if (tools.length === 0) return undefined;
  const grammar = new Grammar();
  try {
    const start = layout.kind === 'named' && layout.atOnce ? '""' : LEADING_SPACE;
    const end = `${literal(closer)} ${REST}`;
    return grammar.text(
      `${start} ${bodyOf(layout, tools, grammar)} ${SPACE} ${closerEndsReply ? `(${end})?` : end}`,
    );
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface ToolRule {
  readonly name: string;
  /** The rule of the arguments. */
  readonly args: string;
}

function bodyOf(layout: CallLayout, tools: readonly ToolDefinition[], grammar: Grammar): string {
  const rules = tools.map(tool => ({
    name: tool.function.name,
    args: new JsonGrammar(grammar, withType(tool.function.parameters)).root(),
  }));
  switch (layout.kind) {
    case 'object':
      return grammar.rule(listOf(objectCall(layout, rules, grammar), layout.list));
    case 'keyed':
      return grammar.rule(
        listOf(
          grammar.rule(
            `"{" ${SPACE} ${oneOf(rules.map(({ name, args }) => `${key(name)} ${COLON} ${args}`))} ${SPACE} "}"`,
          ),
          'only',
        ),
      );
    case 'named': {
      const { before = '""', between, after = '""' } = layout;
      const calls = rules.map(({ name, args }) => `${literal(name)} ${between} ${SPACE} ${args}`);
      return grammar.rule(`${before} ${oneOf(calls)} ${SPACE} ${after}`);
    }
  }
}

/** `{"name": ..., "arguments": {...}}`, with the members that may come before and after. */
function objectCall(layout: ObjectLayout, rules: readonly ToolRule[], grammar: Grammar): string {
  const { before = [], after = [] } = layout;
  const text = new JsonGrammar(grammar, { type: 'string' }).root();
  const extras = (keys: readonly string[], write: (member: string) => string) =>
    keys.map(one => `(${write(`${key(one)} ${COLON} ${text}`)})?`).join(' ');
  const calls = rules.map(
    ({ name, args }) => `${key(name)} ${COMMA} ${key(layout.arguments)} ${COLON} ${args}`,
  );
  const first = extras(before, member => `${member} ${COMMA}`);
  const last = extras(after, member => `${COMMA} ${member}`);
  return grammar.rule(
    `"{" ${SPACE} ${first} ${key(layout.name)} ${COLON} ${oneOf(calls)} ${last} ${SPACE} "}"`,
  );
}

function listOf(call: string, list: 'only' | 'opened' | undefined): string {
  const items = `${SPACE} ${call} (${COMMA} ${call})* ${SPACE} "]"`;
  if (list === 'opened') return items;
  return list === 'only' ? `"[" ${items}` : `${call} | "[" ${items}`;
}

function key(text: string): string {
  return literal(JSON.stringify(text));
}

/** Arguments are always an object, even if the schema does not say so. */
function withType(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return 'type' in parameters || '$ref' in parameters ? parameters : { type: 'object', ...parameters };
}
