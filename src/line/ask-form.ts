import type {
  Elicit,
  ElicitationAnswer,
  ElicitationField,
  ElicitationRequest,
} from '../mcp/server/elicitation.ts';
import { stripControls } from '../text/clean/strip-controls.ts';

/** `ask` resolves with undefined on Ctrl+D and when the signal is aborted. */
export interface FormTerminal {
  readonly print: (text: string) => void;
  readonly ask: (prompt: string, signal: AbortSignal) => Promise<string | undefined>;
}

type Value = string | number | boolean | string[];

/**
 * Fills in a server's form (elicitation) line by line, or asks to open an address. The user sees which server asks and can decline, or cancel with
 * Ctrl+D; the signal cancels the form when the server stops waiting.
 */
export function formAsker(terminal: FormTerminal): Elicit {
  return async (request, signal) => {
    terminal.print(`Server '${stripControls(request.server)}' asks: ${stripControls(request.message)}\n`);
    if (request.url !== undefined) return askToOpen(request.url, terminal, signal);
    const names = request.fields.map(field => stripControls(field.title ?? field.name)).join(', ');
    const consent = await terminal.ask(`Answer${names ? ` (${names})` : ''}? yes or no [no]: `, signal);
    if (consent === undefined) return { action: 'cancel' };
    if (!/^y(es)?$/i.test(consent.trim())) return { action: 'decline' };
    return await fillIn(request, terminal, signal);
  };
}

/** The address is shown whole, and the user opens it: a server could otherwise make this program visit anything. */
async function askToOpen(
  url: string,
  terminal: FormTerminal,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  terminal.print(`Open this address yourself if you trust ${new URL(url).host}:\n  ${stripControls(url)}\n`);
  const answer = await terminal.ask('Done there? yes or no [no]: ', signal);
  if (answer === undefined) return { action: 'cancel' };
  return { action: /^y(es)?$/i.test(answer.trim()) ? 'accept' : 'decline' };
}

async function fillIn(
  { fields }: ElicitationRequest,
  terminal: FormTerminal,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const content = new Map<string, Value>();
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
  const choices = field.choices
    ? ` {${field.choices.map(({ value }) => stripControls(value)).join(', ')}}`
    : '';
  const fallback =
    field.default === undefined
      ? field.required
        ? ''
        : ' [none]'
      : ` [${stripControls(JSON.stringify(field.default))}]`;
  return `  ${stripControls(field.title ?? field.name)}${about}${choices}${fallback}: `;
}

/** Parses a typed line. An empty one means the default, or no value if the field is optional. */
export function readField(
  field: ElicitationField,
  typed: string,
): { readonly value: Value | undefined } | { readonly problem: string } {
  if (typed === '') {
    if (field.default !== undefined) return { value: field.default as Value };
    return field.required ? { problem: 'An answer is needed here.' } : { value: undefined };
  }
  const allowed = field.choices?.map(choice => choice.value);
  switch (field.type) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(typed)) return { value: true };
      return /^(n|no|false)$/i.test(typed) ? { value: false } : { problem: 'Answer yes or no.' };
    case 'integer':
    case 'number':
      return readNumber(field, typed);
    case 'array': {
      const parts = typed.split(',').map(part => part.trim());
      const wrong = allowed && parts.find(part => !allowed.includes(part));
      return wrong === undefined
        ? { value: parts }
        : { problem: `'${wrong}' is none of ${allowed?.join(', ')}.` };
    }
    default:
      if (allowed && !allowed.includes(typed)) return { problem: `Answer one of ${allowed.join(', ')}.` };
      return readText(field, typed);
  }
}

function readNumber({ type, schema }: ElicitationField, typed: string) {
  const value = Number(typed);
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) {
    return { problem: type === 'integer' ? 'Answer a whole number.' : 'Answer a number.' };
  }
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number' && value < minimum) return { problem: `Not below ${minimum}.` };
  if (typeof maximum === 'number' && value > maximum) return { problem: `Not above ${maximum}.` };
  return { value };
}

function readText({ schema: { minLength, maxLength } }: ElicitationField, typed: string) {
  if (typeof minLength === 'number' && typed.length < minLength) {
    return { problem: `At least ${minLength} characters.` };
  }
  if (typeof maxLength === 'number' && typed.length > maxLength) {
    return { problem: `At most ${maxLength} characters.` };
  }
  return { value: typed };
}
