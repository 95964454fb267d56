import { messageOf } from '../../errors.ts';
import { jsonBody } from '../bodies/json-body.ts';
import { pythonicBody, writePythonic } from '../bodies/pythonic-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS, PYTHON_FOLLOWS, PYTHON_STRINGS } from '../bodies/strings.ts';
import { loadResponseTemplate } from '../response-template/load.ts';
import type { CallFormatEntry } from '../types/call-format-choice.ts';
import type { BodyCall, ChatFormat, Delimiters } from '../types/format.ts';
import { THINK } from '../types/thinking.ts';
import { hermes, jsonCall, OBJECT_LAYOUT } from './json/hermes.ts';

/** A format in Hugging Face's language, for what `UserFormat` cannot express. */
export interface UserTemplate {
  readonly id: string;
  /** Marks in a chat template; see `ChatFormat.when`. */
  readonly when: ChatFormat['when'];
  /** A `response_template` as in tokenizer_config.json. */
  readonly responseTemplate: object;
}

/** A format as written in config.json; config.schema.json checks its shape. */
export interface UserFormat {
  readonly id: string;
  /** Marks in a chat template; see `ChatFormat.when`. */
  readonly when: readonly (string | readonly string[])[];
  /** Marks around a call. Without a closer the call ends with its last bracket. */
  readonly opener: string;
  readonly closer?: string;
  /** `json`: `{"name": ..., "arguments": {...}}` (default); `pythonic`: `name(key="value")`. */
  readonly body?: 'json' | 'pythonic';
  /** Default: `<think>` and `</think>`. */
  readonly thinking?: Delimiters;
}

/** Converts the user's entry to one of the table. */
export function formatOfUser(entry: UserFormat): ChatFormat {
  const { opener, closer } = entry;
  const pythonic = entry.body === 'pythonic';
  const write = (call: BodyCall) => (pythonic ? `[${writePythonic([call])}]` : jsonCall(call));
  return {
    id: entry.id,
    when: entry.when,
    calls: [
      {
        opener,
        ...(closer !== undefined && { closer }),
        ...(pythonic
          ? { strings: PYTHON_STRINGS, follows: PYTHON_FOLLOWS, read: pythonicBody }
          : {
              strings: JSON_STRINGS,
              stringsIf: /[{[]/,
              follows: JSON_FOLLOWS,
              read: jsonBody,
              layout: OBJECT_LAYOUT,
            }),
      },
    ],
    thinking: entry.thinking ? [entry.thinking] : THINK,
    writeCalls: calls => calls.map(call => `${opener}${write(call)}${closer ?? ''}`).join('\n'),
    writeResult: hermes.writeResult,
  };
}

/** The entries for choosing a call format. */
export function callFormatsOfUser(entries: readonly (UserFormat | UserTemplate)[]): CallFormatEntry[] {
  return entries.map(entry =>
    'responseTemplate' in entry ? entry : { id: entry.id, when: entry.when, format: formatOfUser(entry) },
  );
}

/** The first invalid entry, beyond what the schema checks: its path in `entries`, and why. */
export function formatProblem(
  entries: readonly (UserFormat | UserTemplate)[],
): { readonly path: readonly (string | number)[]; readonly message: string } | undefined {
  for (const [index, entry] of entries.entries()) {
    const { id } = entry;
    if (entries.findIndex(other => other.id === id) < index) {
      return { path: [index, 'id'], message: `'${id}' occurs twice` };
    }
    if ('responseTemplate' in entry) {
      if ('opener' in entry)
        return { path: [index, 'opener'], message: 'cannot be combined with responseTemplate' };
      const message = templateProblem(entry.responseTemplate);
      if (message !== undefined) return { path: [index, 'responseTemplate'], message };
      continue;
    }
    const { opener, closer, thinking } = entry;
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
