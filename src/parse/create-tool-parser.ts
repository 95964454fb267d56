import { LlmHostError } from '../errors.ts';
import type { ChatFormat } from './formats/format.ts';
import { hermes } from './formats/hermes.ts';
import { formatIds, formatNamed, formatOfTemplate } from './formats/table.ts';
import type { ToolParser } from './parse-event.ts';
import { StreamParser } from './stream-parser.ts';

export interface ToolParserOptions {
  /** Source of the model's chat template; chooses the format and tells if the model thinks. */
  readonly template?: string;
  /** A row of the table by id, or a row of one's own; goes before `template`. */
  readonly format?: string | ChatFormat;
  /** The tools on offer, for formats whose arguments get their types from the schema. */
  readonly tools?: readonly object[];
  /** The prompt ends inside a thinking block (see `endsInThinking`). Default false. */
  readonly startsInThinking?: boolean;
}

/** A parser for one reply. Throws LlmHostError USAGE for a format id that is not in the table. */
export function createToolParser(options: ToolParserOptions = {}): ToolParser {
  const format = chooseFormat(options);
  const startsInThinking = options.startsInThinking ?? false;
  return new StreamParser(format, {
    startsInThinking,
    thinking:
      startsInThinking || options.template === undefined || mentionsThinking(options.template, format),
  });
}

/** True if the prompt leaves a thinking block open, as some templates do to make the model think. */
export function endsInThinking(prompt: string, format: ChatFormat = hermes): boolean {
  const { opener } = format.thinking;
  return prompt.trimEnd().endsWith(opener);
}

function chooseFormat({ format, template }: ToolParserOptions): ChatFormat {
  if (typeof format === 'object') return format;
  if (format !== undefined) {
    const named = formatNamed(format);
    if (named) return named;
    throw new LlmHostError('USAGE', `There is no tool-call format '${format}'`, {
      hint: `Known formats: ${formatIds().join(', ')}.`,
    });
  }
  // Without a known mark the model gets the prompt protocol, which is Hermes too.
  return formatOfTemplate(template ?? '') ?? hermes;
}

function mentionsThinking(template: string, { thinking }: ChatFormat): boolean {
  return template.includes(thinking.opener) || template.includes(thinking.closer);
}
