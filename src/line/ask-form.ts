import type {
  Elicit,
  ElicitationAnswer,
  ElicitationField,
  ElicitationRequest,
} from '../mcp/server/elicitation.ts';
import { stripControls } from '../text/clean/strip-controls.ts';

/** `ask` resolves with undefined on Esc, on Ctrl+D and when the signal is aborted. */
export interface FormTerminal {
  readonly print: (text: string) => void;
  readonly ask: (prompt: string, signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Fills in a server's form (elicitation) line by line, or asks to open an address. The user sees which server asks and can
 * decline, or cancel with Esc or Ctrl+D; the signal cancels the form when the server stops waiting.
 */
export function formAsker(terminal: FormTerminal): Elicit {
  return async (request, signal) => {
    terminal.print(`Server '${stripControls(request.server)}' asks: ${stripControls(request.message)}\n`);
    if (request.url !== undefined) return askToOpen(request.url, terminal, signal);
    const names = request.fields.map(field => stripControls(field.title ?? field.name)).join(', ');
    const consent = await askYesOrNo(`Answer${names ? ` (${names})` : ''}?`, terminal, signal);
    if (consent === undefined) return { action: 'cancel' };
    return consent ? await fillIn(request, terminal, signal) : { action: 'decline' };
  };
}

/** The address is shown whole, and the user opens it: a server could otherwise make this program visit anything. */
async function askToOpen(
  url: string,
  terminal: FormTerminal,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  terminal.print(`Open this address yourself if you trust ${new URL(url).host}:\n  ${stripControls(url)}\n`);
  const isDone = await askYesOrNo('Done there?', terminal, signal);
  if (isDone === undefined) return { action: 'cancel' };
  return { action: isDone ? 'accept' : 'decline' };
}

/** Asks again for anything else: a slip must not decline a login. */
async function askYesOrNo(
  question: string,
  terminal: FormTerminal,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  while (true) {
    const typed = (await terminal.ask(`${question} yes or no [no]: `, signal))?.trim();
    if (typed === undefined) return undefined;
    const answer = typed === '' ? false : yesOrNo(typed);
    if (answer !== undefined) return answer;
    terminal.print(`${YES_OR_NO}\n`);
  }
}

async function fillIn(
  { fields }: ElicitationRequest,
  terminal: FormTerminal,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  if (fields.length > 0) terminal.print('Enter alone takes what is in [ ]; Esc cancels the form.\n');
  const content = new Map<string, FieldValue>();
  for (const field of fields) {
    while (true) {
      const typed = await terminal.ask(promptOf(field), signal);
      if (typed === undefined) return { action: 'cancel' };
      const read = readField(field, typed.trim());
      if ('problem' in read) {
        terminal.print(`${read.problem}\n`);
        continue;
      }
      if (read.value !== undefined) content.set(field.name, read.value);
      break;
    }
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

function promptOf(field: ElicitationField): string {
  const about = field.description ? ` (${stripControls(field.description)})` : '';
  const names =
    field.type === 'boolean' ? ['yes', 'no'] : choiceNames(field).map(name => stripControls(name));
  const several = field.type === 'array' ? 'several with commas' : '';
  const all = [names.join(', '), several].filter(Boolean).join('; ');
  const choices = all === '' ? '' : ` {${all}}`;
  const fallback =
    field.default === undefined
      ? field.required
        ? ''
        : ' [none]'
      : ` [${stripControls(defaultText(field))}]`;
  return `  ${stripControls(field.title ?? field.name)}${about}${choices}${fallback}: `;
}

/** As the user would type it. */
function defaultText(field: ElicitationField): string {
  const { default: value, choices = [] } = field;
  const names = choiceNames(field);
  const nameOf = (one: unknown): unknown => names[choices.findIndex(choice => choice.value === one)] ?? one;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(nameOf).join(', ');
  return typeof value === 'string' ? String(nameOf(value)) : JSON.stringify(value);
}

type FieldValue = string | number | boolean | string[];
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

const YES_OR_NO = 'Answer yes or no.';

function yesOrNo(typed: string): boolean | undefined {
  if (/^(y|yes|true)$/i.test(typed)) return true;
  return /^(n|no|false)$/i.test(typed) ? false : undefined;
}

/** The names a user may type for each choice: its label, or its value where labels are ambiguous. */
function choiceNames({ choices = [], type }: ElicitationField): string[] {
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
