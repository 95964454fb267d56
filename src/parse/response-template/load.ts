import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';
import { isObject } from '../bodies/json-body.ts';
import {
  CONTENT_KINDS,
  type ContentKind,
  contentArgsFault,
  isContentKind,
  MAX_MARK_CHARS,
  patternFault,
} from './content-args.ts';
import { literalPattern, type StreamPattern, streamPattern } from './partial-pattern.ts';

/** A field of a message, as the template declares it. */
export interface TemplateField {
  readonly name: string;
  readonly open: StreamPattern | undefined;
  /** The opener is a single literal, which more text cannot extend. */
  readonly openIsLiteral: boolean;
  readonly close: StreamPattern | undefined;
  readonly closeIsLiteral: boolean;
  readonly content: ContentKind;
  readonly contentArgs: Readonly<Record<string, unknown>>;
  readonly transform: unknown;
  readonly transformEach: boolean;
}

export interface ResponseTemplate {
  readonly fields: readonly TemplateField[];
  /** Gets the text outside all other fields. */
  readonly implicit: TemplateField | undefined;
  readonly startAnchor: RegExp | undefined;
}

/** Loads a `response_template` as defined by Hugging Face (version 1). Throws LlmHostError MODEL_BROKEN. */
export function loadResponseTemplate(spec: object): ResponseTemplate {
  const { version = 1, fields } = spec as { version?: unknown; fields?: unknown };
  if (version !== 1) throw broken(`has version ${quoted(version)}; supported: 1`);
  if (!isObject(fields) || Object.keys(fields).length === 0) throw broken('has no fields');
  const read = Object.entries(fields).map(([name, field]) => readField(name, field));
  const implicit = read.filter(field => !field.open);
  if (implicit.length > 1) {
    throw broken(`has several fields without an opener: ${implicit.map(field => field.name).join(', ')}`);
  }
  const anchor = readMarks('the template', spec as Record<string, unknown>, 'start_anchor');
  return {
    fields: read.filter(field => field.open),
    implicit: implicit[0],
    startAnchor: anchor?.pattern.whole,
  };
}

/** Whether the field's text is calls. */
export function isCalls({ name }: TemplateField): boolean {
  return /^tool_?calls?$|^function_?calls?$/i.test(name);
}

/** Drops a template's fields for calls where there is nothing to call: text that looks like a call stays text. */
export function withoutCallFields(template: ResponseTemplate): ResponseTemplate {
  return { ...template, fields: template.fields.filter(field => !isCalls(field)) };
}

function readField(name: string, field: unknown): TemplateField {
  if (!isObject(field)) throw broken(`has a field '${name}' that is not an object`);
  const content = field.content ?? 'text';
  if (!isContentKind(content)) {
    throw broken(
      `wants the content parser ${quoted(content)} for '${name}'; known: ${CONTENT_KINDS.join(', ')}`,
    );
  }
  const fault = contentArgsFault(field.content_args);
  if (fault !== undefined) throw broken(`has ${fault} in ${name}`);
  const open = readMarks(name, field, 'open');
  const close = readMarks(name, field, 'close');
  return {
    name,
    open: open?.pattern,
    openIsLiteral: open?.literal ?? false,
    close: close?.pattern,
    closeIsLiteral: close?.literal ?? false,
    content,
    contentArgs: isObject(field.content_args) ? field.content_args : {},
    transform: field.transform ?? undefined,
    transformEach: field.transform_each === true,
  };
}

/** `key` (one literal or several) or `key_pattern`. */
function readMarks(
  name: string,
  holder: Readonly<Record<string, unknown>>,
  key: string,
): { pattern: StreamPattern; literal: boolean } | undefined {
  const literal = holder[key];
  const pattern = holder[`${key}_pattern`];
  if (literal !== undefined) {
    const literals: unknown[] = Array.isArray(literal) ? literal : [literal];
    if (literals.length === 0 || !literals.every(one => typeof one === 'string' && one !== '')) {
      throw broken(`has no text in '${key}' of ${name}`);
    }
    checkLength(literals.join(''), key, name);
    return { pattern: literalPattern(literals as string[]), literal: literals.length === 1 };
  }
  const fault = patternFault(`${key}_pattern`, pattern);
  if (fault !== undefined) throw broken(`has ${fault} in ${name}`);
  return typeof pattern === 'string' ? { pattern: streamPattern(pattern), literal: false } : undefined;
}

function checkLength(text: string, key: string, name: string): void {
  if (text.length > MAX_MARK_CHARS)
    throw broken(`has a '${key}' of more than ${MAX_MARK_CHARS} characters in ${name}`);
}

function broken(what: string): LlmHostError {
  return new LlmHostError('MODEL_BROKEN', `The response_template ${what}`, {
    hint: 'It is in tokenizer_config.json.',
  });
}
