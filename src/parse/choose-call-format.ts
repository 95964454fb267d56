import { firstMatch, formatNamed } from './formats/table.ts';
import { loadResponseTemplate } from './response-template/load.ts';
import type { CallFormatChoice, CallFormatEntry } from './types/call-format-choice.ts';

/**
 * What a model's tokenizer_config.json says of its calls (`response_template`, then `tool_parser_type`), else the
 * first of the user's `rows` whose marks stand in its template. A name that no row has is left to the marks. Throws
 * LlmHostError MODEL_BROKEN for a `response_template` that cannot be read.
 */
export function chooseCallFormat(
  tokenizerConfig: Readonly<Record<string, unknown>>,
  template: string,
  rows: readonly CallFormatEntry[],
): CallFormatChoice {
  const { response_template: own, tool_parser_type: type } = tokenizerConfig;
  if (typeof own === 'object' && own !== null) {
    loadResponseTemplate(own);
    return { responseTemplate: own };
  }
  const row = (typeof type === 'string' && rows.find(one => one.id === type)) || undefined;
  const named = row || typeof type !== 'string' ? undefined : formatNamed(type);
  if (named) return { format: named };
  const { format, responseTemplate } = row ?? firstMatch(template, rows) ?? {};
  return { ...(format && { format }), ...(responseTemplate && { responseTemplate }) };
}
