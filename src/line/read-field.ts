import type { ElicitationField } from '../mcp/server/elicitation.ts';

export type FieldValue = string | number | boolean | string[];
type Read = { readonly value: FieldValue | undefined } | { readonly problem: string };

/** For each format, how to recognise it, and what to say otherwise. */
const FORMATS: Readonly<
  Record<string, { readonly fits: (text: string) => boolean; readonly wanted: string }>
> = {
  email: {
    fits: text => /^[^\s@]+@[^\s@]+$/.test(text),
    wanted: 'an e-mail address, such as ada@example.com',
  },
  uri: { fits: text => URL.canParse(text), wanted: 'a whole address, such as https://example.com' },
  date: { fits: isDate, wanted: 'a date, such as 2026-07-28' },
  'date-time': { fits: isDateTime, wanted: 'a date and time, such as 2026-07-28T09:30:00Z' },
};

/** Parses a typed line. An empty one means the default, or no value if the field is optional. */
export function readField(field: ElicitationField, typed: string): Read {
  if (typed === '') {
    if (field.default !== undefined) return { value: field.default as FieldValue };
    return field.required ? { problem: 'An answer is needed here.' } : { value: undefined };
  }
  switch (field.type) {
    case 'boolean': {
      const answer = yesOrNo(typed);
      return answer === undefined ? { problem: YES_OR_NO } : { value: answer };
    }
    case 'integer':
    case 'number':
      return readNumber(field, typed);
    case 'array':
      return readSeveral(field, typed);
    default:
      return readText(field, typed);
  }
}

export const YES_OR_NO = 'Answer yes or no.';

export function yesOrNo(typed: string): boolean | undefined {
  if (/^(y|yes|true)$/i.test(typed)) return true;
  return /^(n|no|false)$/i.test(typed) ? false : undefined;
}

/** The names a user may type for each choice: its label, or its value where labels are ambiguous. */
export function choiceNames({ choices = [], type }: ElicitationField): string[] {
  const labels = choices.map(({ label }) => label.trim());
  const isClear = new Set(labels.map(fold)).size === labels.length && !labels.includes('');
  const isOne = type !== 'array' || !labels.some(label => label.includes(','));
  return isClear && isOne ? labels : choices.map(({ value }) => value);
}

/** Its value, by the value itself, what is shown for it, or the beginning of that and no other. */
function choiceOf(field: ElicitationField, typed: string): string | undefined {
  const { choices = [] } = field;
  if (choices.some(({ value }) => value === typed)) return typed;
  const names = choiceNames(field).map(fold);
  const whole = names.indexOf(fold(typed));
  if (whole >= 0) return choices[whole]?.value;
  const begun = choices.filter((_, index) => names[index]?.startsWith(fold(typed)));
  return begun.length === 1 ? begun[0]?.value : undefined;
}

function fold(text: string): string {
  return text.toLowerCase();
}

function readSeveral(field: ElicitationField, typed: string): Read {
  const parts = typed.split(',').flatMap(part => part.trim() || []);
  const wrong = field.choices && parts.find(part => choiceOf(field, part) === undefined);
  if (wrong !== undefined) return { problem: `'${wrong}' is none of ${choiceNames(field).join(', ')}.` };
  const value = [...new Set(field.choices ? parts.map(part => choiceOf(field, part) ?? part) : parts)];
  const { minItems, maxItems } = field.schema;
  if (typeof minItems === 'number' && value.length < minItems)
    return { problem: `At least ${minItems}, with commas.` };
  if (typeof maxItems === 'number' && value.length > maxItems) return { problem: `At most ${maxItems}.` };
  return { value };
}

function readNumber({ type, schema }: ElicitationField, typed: string): Read {
  const value = Number(typed);
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) {
    return { problem: type === 'integer' ? 'Answer a whole number.' : 'Answer a number.' };
  }
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number' && value < minimum) return { problem: `Not below ${minimum}.` };
  if (typeof maximum === 'number' && value > maximum) return { problem: `Not above ${maximum}.` };
  return { value };
}

function readText(field: ElicitationField, typed: string): Read {
  if (field.choices) {
    const value = choiceOf(field, typed);
    return value === undefined ? { problem: `Answer one of ${choiceNames(field).join(', ')}.` } : { value };
  }
  const { minLength, maxLength, format } = field.schema;
  // JSON Schema counts code points.
  const { length } = [...typed];
  if (typeof minLength === 'number' && length < minLength) {
    return { problem: `At least ${characters(minLength)}.` };
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return { problem: `At most ${characters(maxLength)}.` };
  }
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known === undefined || known.fits(typed) ? { value: typed } : { problem: `Answer ${known.wanted}.` };
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // JavaScript turns the 31st of June into the 1st of July.
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = ''] =
    /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i.exec(text) ?? [];
  return isDate(date) && Number.isFinite(Date.parse(text));
}
