import type { ToolDefinition } from '../chat/message.ts';
import { LlmHostError, messageOf } from '../errors.ts';
import type { CallLayout, CallRegion, ChatFormat } from '../parse/types/format.ts';
import type { OpenCall, ReplyParser } from '../parse/types/parse-event.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { callGrammar } from './call-grammar.ts';
import type { CallGrammar, ReplyConstraint } from './constrained-reply.ts';
import type { GrammarEngine } from './grammar-engine.ts';
import { type ResponseFormat, responseGrammar } from './response-format.ts';

export interface ReplyConstraintOptions {
  readonly grammar: GrammarEngine;
  readonly tokenizer: Pick<Tokenizer, 'stream' | 'encodeSegments'>;
  /** How the model writes calls; undefined: in a way no grammar is known for. */
  readonly format: ChatFormat | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly constrainCalls: boolean;
  readonly responseFormat: ResponseFormat | undefined;
  /** Text the reply is forced to start with. Default: ''. */
  readonly prefix?: string;
  newParser(): ReplyParser;
}

/** Whether a grammar can constrain calls of this format. */
export function canConstrain(format: ChatFormat | undefined): boolean {
  if (!format) return false;
  return format.bareLayout !== undefined || format.calls.some(region => region.layout !== undefined);
}

/**
 * The constraint of a reply. Grammars of calls compile while the prompt is read; the one for content before that, so
 * that a schema that takes too long is refused. @throws LlmHostError USAGE for such a schema.
 */
export async function replyConstraint(options: ReplyConstraintOptions): Promise<ReplyConstraint> {
  const { grammar, tokenizer, format, responseFormat, prefix = '', newParser } = options;
  const calls = options.constrainCalls && format ? callGrammars(options, format) : undefined;
  for (const text of calls?.known ?? []) grammar.prepare(text).catch(() => undefined);
  const content = responseFormat && responseGrammar(responseFormat);
  if (content !== undefined) await prepared(grammar, content);
  return {
    grammar,
    tokenizer,
    newParser,
    prefix,
    content,
    callGrammar: call => {
      if (!call.bare || namesTool(call, options)) return calls?.of(call);
      const mayBeCall = format?.bareLayout !== undefined;
      if (content !== undefined) return mayBeCall && !hasName(call) ? undefined : 'content';
      // JSON without marks may still be an answer, until the arguments of a call start.
      return mayBeCall && BARE_CALL.test(call.body) ? calls?.of(call) : undefined;
    },
  };
}

async function prepared(grammar: GrammarEngine, content: string): Promise<void> {
  try {
    await grammar.prepare(content);
  } catch (error) {
    throw new LlmHostError('USAGE', `The schema cannot be followed: ${messageOf(error)}`, { cause: error });
  }
}

interface CallGrammars {
  /** Names from the format's own regions. */
  readonly known: readonly string[];
  of(call: OpenCall): CallGrammar | undefined;
}

function callGrammars({ tools }: ReplyConstraintOptions, format: ChatFormat): CallGrammars {
  const made = new Map<string, string | undefined>();
  const make = (layout: CallLayout | undefined, region: CallRegion | undefined): string | undefined => {
    if (!layout) return undefined;
    const key = JSON.stringify([layout, region?.closer]);
    if (!made.has(key)) made.set(key, callGrammar(layout, region ?? {}, tools));
    return made.get(key);
  };
  const known = [
    make(format.bareLayout, undefined),
    ...format.calls.map(region => make(region.layout, region)),
  ];
  return {
    known: [...new Set(known.filter(grammar => grammar !== undefined))],
    of: ({ region, bare, body }) => {
      const layout = bare ? format.bareLayout : region.layout;
      const grammar = make(layout, region);
      if (grammar === undefined) return undefined;
      return {
        grammar,
        marks: marksOf(region.closer ?? '', layout),
        depth: layout?.kind === 'named' ? 1 : 2,
        optional: bare && !BARE_CALL.test(body),
      };
    },
  };
}

/** Quoted texts in a grammar that may be special tokens. */
function marksOf(closer: string, layout: CallLayout | undefined): string[] {
  const parts = layout?.kind === 'named' ? [layout.before, layout.between, layout.after] : [];
  const quoted = parts.flatMap(part =>
    [...(part ?? '').matchAll(/"([^"\\]+)"/g)].map(match => match[1] as string),
  );
  return [closer, ...quoted].filter(mark => mark.trim().length > 1 && !/^\w+$/.test(mark));
}

/** Certainly a call: its arguments start, whatever tool it names. */
const BARE_CALL =
  /^[\s[]*\{\s*(?:["']type["']\s*:\s*["'][^"']*["']\s*,\s*)?["']name["']\s*:\s*["'][^"']*["']\s*,\s*["'](?:parameters|arguments)["']\s*:/;

const NAME = /["'](?:name|tool_name|function_name|tool|function)["']\s*:\s*["']([^"']+)["']/;

function hasName({ body }: OpenCall): boolean {
  return NAME.test(body);
}

function namesTool({ body }: OpenCall, { format, tools }: ReplyConstraintOptions): boolean {
  const name = format?.bareLayout && NAME.exec(body)?.[1];
  return tools.some(tool => tool.function.name === name);
}
