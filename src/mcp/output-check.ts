import { checkSchema, isNotChecked } from '../parse/json/schema-check.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import { cleanLine, TEXT_LIMITS } from './server/incoming-text.ts';
import type { CallResult, ServerTool } from './server/wire-schemas.ts';

/** A note for the model if the structured result breaks what the tool itself promises; '' if not. */
export function outputNote({ outputSchema }: ServerTool, result: CallResult): string {
  const { structuredContent, isError } = result;
  if (!isPlainObject(outputSchema) || structuredContent === undefined || isError === true) return '';
  const problems = checkSchema(outputSchema, structuredContent);
  const [first] = problems;
  if (first === undefined || isNotChecked(problems)) return '';
  const got = first.got === undefined ? 'nothing' : first.got;
  const text = `${first.path} should be ${first.expected}, but is ${got}`;
  return `\n[This result breaks the tool's own outputSchema: ${cleanLine(text, TEXT_LIMITS.notice)}]`;
}
