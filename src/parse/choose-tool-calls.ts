import type { ChatFormat } from './formats/format.ts';
import { formatNamed, formatOfTemplate } from './formats/table.ts';
import { loadResponseTemplate } from './response-template/load.ts';

/** What goes before the marks that the built-in table knows; nothing: those decide. */
export interface ToolCallChoice {
  readonly responseTemplate?: object;
  readonly format?: ChatFormat;
}

/**
 * What a model's tokenizer_config.json says of its calls (`response_template`, then `tool_parser_type`), else the
 * first of the user's `rows` whose marks stand in its template. A name that no row has is left to the marks. Throws
 * LlmHostError MODEL_BROKEN for a `response_template` that cannot be read.
 */
export function chooseToolCalls(
  tokenizerConfig: Readonly<Record<string, unknown>>,
  template: string,
  rows: readonly ChatFormat[],
): ToolCallChoice {
  const { response_template: own, tool_parser_type: type } = tokenizerConfig;
  if (typeof own === 'object' && own !== null) {
    loadResponseTemplate(own);
    return { responseTemplate: own };
  }
  const named =
    typeof type === 'string' ? (rows.find(row => row.id === type) ?? formatNamed(type)) : undefined;
  const format = named ?? formatOfTemplate(template, rows);
  return format ? { format } : {};
}
