import { messageOf } from '../../errors.ts';
import { jsonBody } from '../bodies/json-body.ts';
import { pythonicBody, writePythonic } from '../bodies/pythonic-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS, PYTHON_STRINGS } from '../bodies/strings.ts';
import { loadResponseTemplate } from '../response-template/load.ts';
import type { CallFormatEntry } from '../types/call-format-choice.ts';
import type { BodyCall, ChatFormat, Delimiters } from '../types/format.ts';
import { hermes, jsonCall, OBJECT_LAYOUT } from './hermes.ts';
import { THINK } from './thinking.ts';

/** A row in Hugging Face's own language, for forms that `UserFormat` has no words for. */
export interface UserTemplate {
  readonly id: string;
  /** Marks in a chat template, as `ChatFormat.when`. */
  readonly when: ChatFormat['when'];
  /** A `response_template` as models carry it in tokenizer_config.json. */
  readonly responseTemplate: object;
}

/** A row of the format table as the user writes it in config.json; config.schema.json checks its shape. */
export interface UserFormat {
  readonly id: string;
  /** Marks in a chat template, as `ChatFormat.when`. */
  readonly when: readonly (string | readonly string[])[];
  /** What stands before and after a call. Without a closer the call ends with its last bracket. */
  readonly opener: string;
  readonly closer?: string;
  /** `json`: `{"name": ..., "arguments": {...}}` (default); `pythonic`: `name(key="value")`. */
  readonly body?: 'json' | 'pythonic';
  /** Default: `<think>` and `</think>`. */
  readonly thinking?: Delimiters;
}

/** The row as the table has it. */
export function formatOfUser(row: UserFormat): ChatFormat {
  const { opener, closer } = row;
  const pythonic = row.body === 'pythonic';
  const write = (call: BodyCall) => (pythonic ? `[${writePythonic([call])}]` : jsonCall(call));
  return {
    id: row.id,
    when: row.when,
    calls: [
      {
        opener,
        ...(closer !== undefined && { closer }),
        ...(pythonic
          ? { strings: PYTHON_STRINGS, read: pythonicBody }
          : {
              strings: JSON_STRINGS,
              stringsIf: /[{[]/,
              follows: JSON_FOLLOWS,
              read: jsonBody,
              layout: OBJECT_LAYOUT,
            }),
      },
    ],
    thinking: row.thinking ? [row.thinking] : THINK,
    writeCalls: calls => calls.map(call => `${opener}${write(call)}${closer ?? ''}`).join('\n'),
    writeResult: hermes.writeResult,
  };
}

/** The rows as calls are chosen by. */
export function rowsOfUser(rows: readonly (UserFormat | UserTemplate)[]): CallFormatEntry[] {
  return rows.map(row =>
    'responseTemplate' in row ? row : { id: row.id, when: row.when, format: formatOfUser(row) },
  );
}

/** The first row that cannot be, beyond what the schema says: where in `rows`, and why. */
export function formatProblem(
  rows: readonly (UserFormat | UserTemplate)[],
): { readonly path: readonly (string | number)[]; readonly message: string } | undefined {
  for (const [index, row] of rows.entries()) {
    const { id } = row;
    if (rows.findIndex(other => other.id === id) < index) {
      return { path: [index, 'id'], message: `'${id}' occurs twice` };
    }
    if ('responseTemplate' in row) {
      if ('opener' in row)
        return { path: [index, 'opener'], message: 'has no place beside responseTemplate' };
      const message = templateProblem(row.responseTemplate);
      if (message !== undefined) return { path: [index, 'responseTemplate'], message };
      continue;
    }
    const { opener, closer, thinking } = row;
    if (opener === closer) {
      return { path: [index, 'closer'], message: 'must differ from the opener' };
    }
    if (thinking?.opener === opener) {
      return { path: [index, 'thinking', 'opener'], message: 'must differ from the opener of calls' };
    }
  }
  return undefined;
}

function templateProblem(template: object): string | undefined {
  try {
    loadResponseTemplate(template);
    return undefined;
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`;
  }
}
