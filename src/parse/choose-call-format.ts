import { firstMatch, formatNamed } from './formats/table.ts';
import { loadResponseTemplate } from './response-template/load.ts';
import type { CallFormatChoice, CallFormatEntry } from './types/call-format-choice.ts';

/**
 * Picks how calls are read: by the model's tokenizer_config.json (`response_template`, then `tool_parser_type`), else
 * by the first of the user's `entries` whose marks are in the template. An unknown name is left to the marks. Throws
 * LlmHostError MODEL_BROKEN for an unreadable `response_template`.
 */
export function chooseCallFormat(
  tokenizerConfig: Readonly<Record<string, unknown>>,
  template: string,
  entries: readonly CallFormatEntry[],
): CallFormatChoice {
  const { response_template: own, tool_parser_type: type } = tokenizerConfig;
  if (typeof own === 'object' && own !== null) {
    loadResponseTemplate(own);
    return { responseTemplate: own };
  }
  const entry = (typeof type === 'string' && entries.find(one => one.id === type)) || undefined;
  const named = entry || typeof type !== 'string' ? undefined : formatNamed(type);
  if (named) return { format: named };
  const { format, responseTemplate } = entry ?? firstMatch(template, entries) ?? {};
  return { ...(format && { format }), ...(responseTemplate && { responseTemplate }) };
}
