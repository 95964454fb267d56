import type {
  Elicit,
  ElicitationAnswer,
  ElicitationField,
  ElicitationRequest,
} from '../mcp/server/elicitation.ts';
import { stripControls } from '../text/clean/strip-controls.ts';
import { choiceNames, type FieldValue, readField, YES_OR_NO, yesOrNo } from './read-field.ts';

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
