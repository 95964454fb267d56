import { LlmHostError } from '../errors.ts';
import type { PromptSegment } from '../tokens/tokenizer-types.ts';
import { type Node, parseTemplate } from './jinja/ast.ts';
import { fromJs } from './jinja/from-js.ts';
import { renderNodes } from './jinja/render.ts';
import { Text } from './jinja/text.ts';
import { Dict, List, type Value } from './jinja/values.ts';

/** A parsed template: parse once, render often. */
export interface ChatTemplate {
  readonly source: string;
}

interface ParsedTemplate extends ChatTemplate {
  readonly nodes: readonly Node[];
}

/** The variables of a rendering. Unknown keys are passed to the template under their own names. */
export interface RenderOptions {
  /** OpenAI-style messages. As in Hugging Face, keys with null values are dropped. */
  readonly messages: readonly object[];
  /** Tool definitions. The template sees undefined and an empty list as `none`. */
  readonly tools?: readonly object[] | undefined;
  readonly documents?: readonly object[] | undefined;
  /** Append the start of the assistant's reply. Default false. */
  readonly addGenerationPrompt?: boolean | undefined;
  /** `enable_thinking`; undefined leaves it to the template. */
  readonly enableThinking?: boolean | undefined;
  readonly bosToken?: string | undefined;
  readonly eosToken?: string | undefined;
  /** The clock of `strftime_now`. Default: the current time. */
  readonly now?: Date | undefined;
  readonly [extra: string]: unknown;
}

const NAMED = new Set([
  'messages',
  'tools',
  'documents',
  'addGenerationPrompt',
  'enableThinking',
  'bosToken',
  'eosToken',
  'now',
]);

/** Names of a message's reasoning in older APIs; the first is the standard one. */
const REASONING_FIELDS = ['reasoning_content', 'thinking', 'reasoning'] as const;

/** Throws LlmHostError TEMPLATE if `source` is not a Jinja template. */
export function compileTemplate(source: string): ChatTemplate {
  const parsed: ParsedTemplate = { source, nodes: parseTemplate(source) };
  return parsed;
}

function nodesOf(template: ChatTemplate | string): readonly Node[] {
  if (typeof template === 'string') return parseTemplate(template);
  return (template as Partial<ParsedTemplate>).nodes ?? parseTemplate(template.source);
}

/**
 * The prompt as Hugging Face's Python library renders it. Throws LlmHostError TEMPLATE if the template raises, or
 * does something that Python's Jinja would not.
 */
export function renderChat(template: ChatTemplate | string, options: RenderOptions): string {
  return render(template, options).value;
}

/**
 * Renders the prompt in segments: template text (`special: true`), and content from messages, tools and
 * documents (`special: false`). Joined, they equal the string of `renderChat`.
 */
export function renderSegments(template: ChatTemplate | string, options: RenderOptions): PromptSegment[] {
  // The interpreter's strings carry their origin through every operation, so nothing has to be searched for.
  const text = render(template, options);
  const segments: PromptSegment[] = [];
  let at = 0;
  const add = (end: number, special: boolean) => {
    if (end > at) segments.push({ text: text.value.slice(at, end), special });
    at = Math.max(at, end);
  };
  for (const [start, end] of text.foreign) {
    add(start, true);
    const last = segments.at(-1);
    if (last && !last.special) {
      segments[segments.length - 1] = { text: last.text + text.value.slice(start, end), special: false };
      at = end;
    } else {
      add(end, false);
    }
  }
  add(text.value.length, true);
  return segments;
}

function render(template: ChatTemplate | string, options: RenderOptions): Text {
  if (options.messages.length === 0) {
    throw new LlmHostError('TEMPLATE', 'There is no message to render', {
      hint: 'Give at least one message.',
    });
  }
  return renderNodes(nodesOf(template), variablesOf(options), options.now ?? new Date());
}

function variablesOf(options: RenderOptions): Map<string, Value> {
  const tools = options.tools && options.tools.length > 0 ? options.tools : null;
  const variables = new Map<string, Value>([
    ['messages', new List(options.messages.map(messageValue))],
    ['tools', fromJs(tools, true)],
    ['documents', fromJs(options.documents ?? null, true)],
    ['add_generation_prompt', options.addGenerationPrompt ?? false],
  ]);
  if (options.enableThinking !== undefined) variables.set('enable_thinking', options.enableThinking);
  if (options.bosToken !== undefined) variables.set('bos_token', Text.of(options.bosToken));
  if (options.eosToken !== undefined) variables.set('eos_token', Text.of(options.eosToken));
  for (const [name, value] of Object.entries(options)) {
    // Other special tokens (`pad_token`, ...) are the model's own text; anything else may come from anywhere.
    if (!NAMED.has(name) && value !== undefined) variables.set(name, fromJs(value, !name.endsWith('_token')));
  }
  return variables;
}

function messageValue(message: object): Dict {
  const entries = Object.entries(message).filter(([, value]) => value !== null && value !== undefined);
  const fields = new Map<string, unknown>(entries);
  const reasoning = REASONING_FIELDS.map(name => fields.get(name)).find(value => value !== undefined);
  const ordered: [string, unknown][] =
    reasoning !== undefined && !fields.has('thinking') ? [['thinking', reasoning]] : [];
  ordered.push(...fields);
  if (reasoning !== undefined) ordered.push(['reasoning_content', reasoning]);
  return Dict.of(
    ordered.map(([name, value]) => [Text.of(name), fromJs(value, !isRole(name, value))] as const),
  );
}

/** Templates build special tokens from the role (`<|user|>`), so a plain role word counts as template text. */
function isRole(name: string, value: unknown): boolean {
  return name === 'role' && typeof value === 'string' && /^[a-z_]{1,20}$/.test(value);
}
