import { createToolParser as createParser, type ToolParserOptions } from '../parse/create-tool-parser.ts';
import type { ToolParser } from '../parse/types/parse-event.ts';

/**
 * A parser for one reply of a model, given in any pieces.
 * @throws LlmHostError USAGE: an unknown format, or a broken `responseTemplate`
 */
export function createToolParser(options: ToolParserOptions = {}): ToolParser {
  return createParser(options);
}
