import { LlmHostError } from '../errors.ts';
import { ToolCatalog } from './calls/tool-catalog.ts';
import { hermes } from './formats/json/hermes.ts';
import { formatIds, formatNamed, formatOfTemplate } from './formats/table.ts';
import { loadResponseTemplate, withoutCallFields } from './response-template/load.ts';
import { ResponseTemplateParser } from './response-template/parser.ts';
import { HarmonyParser } from './stream/harmony-parser.ts';
import { StreamParser } from './stream/stream-parser.ts';
import type { ChatFormat } from './types/format.ts';
import type { ReplyParser } from './types/parse-event.ts';

export interface ToolParserOptions {
  /** The model's chat template, which picks the format and shows whether the model thinks. */
  readonly template?: string;
  /** A format by its id, such as `hermes`. Overrides `responseTemplate`. */
  readonly format?: string;
  /** The model's own `response_template` (tokenizer_config.json). Overrides `template`. */
  readonly responseTemplate?: object;
  /** The offered tools: their schemas type unquoted arguments, and tell a bare call from other JSON. */
  readonly tools?: readonly object[];
  /** The end of the prompt, which determines `startsInThinking` and what the prompt already wrote of the reply. */
  readonly prompt?: string;
  /** The prompt ends inside a thinking block (see `endsInThinking`). Default: as `prompt` shows, else false. */
  readonly startsInThinking?: boolean;
}

/** With what only the program itself decides. */
export interface ReplyParserOptions extends Omit<ToolParserOptions, 'format'> {
  readonly format?: string | ChatFormat;
  /** Look for calls. With nothing to call, what looks like one is an answer. Default true. */
  readonly calls?: boolean;
}

/** A parser for one reply. Throws LlmHostError USAGE for an unknown format id or a broken `responseTemplate`. */
export function createToolParser(options: ReplyParserOptions = {}): ReplyParser {
  const { prompt, template, responseTemplate, calls = true } = options;
  const tools = new ToolCatalog(calls ? options.tools : []);
  if (options.format === undefined && responseTemplate !== undefined) {
    const loaded = loadResponseTemplate(responseTemplate);
    return new ResponseTemplateParser(calls ? loaded : withoutCallFields(loaded), tools, prompt ?? '');
  }
  const chosen = chooseFormat(options);
  const format = calls ? chosen : withoutCalls(chosen);
  const startsInThinking =
    options.startsInThinking ?? (prompt !== undefined && endsInThinking(prompt, format));
  if (format.channels === 'harmony') return new HarmonyParser(tools, startsInThinking);
  const implied = format.implied ?? '';
  return new StreamParser(format, {
    startsInThinking,
    thinking: startsInThinking || template === undefined || mentionsThinking(template, format),
    tools,
    implied: implied !== '' && prompt?.endsWith(implied) ? implied : '',
  });
}

/** True if the prompt leaves a thinking block open, as some templates do to make the model think. */
export function endsInThinking(prompt: string, format: ChatFormat = hermes): boolean {
  const tail = prompt.trimEnd();
  return format.thinking.some(({ opener }) => tail.endsWith(opener.trimEnd()));
}

function chooseFormat({ format, template }: ReplyParserOptions): ChatFormat {
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

function withoutCalls(format: ChatFormat): ChatFormat {
  return { ...format, calls: [], callStructure: [], bare: false };
}

/** Marks that a template assembles from pieces, or leaves to the model, are not in it as a whole. */
function mentionsThinking(template: string, { thinking }: ChatFormat): boolean {
  return thinking.some(
    ({ opener, closer }) => template.includes(opener.trim()) || (closer !== '' && template.includes(closer)),
  );
}
