import { nearest } from '../../text/nearest.ts';
import { checkSchema, isNotChecked, type SchemaProblem } from '../json/schema-check.ts';
import { coerce } from './coerce.ts';
import type { ToolCatalog } from './tool-catalog.ts';
import { writtenNumbers } from './written-numbers.ts';

/** The outcome of an attempt at a call. */
export type AttemptLabel =
  | 'ok'
  | 'malformed_json'
  | 'truncation'
  | 'wrong_tool'
  | 'missing_required'
  | 'hallucinated_param'
  | 'type_mismatch'
  | 'schema_violation';

/** The part of a call that had to be repaired before it could run. */
export type Repair = 'name' | 'types' | 'json';

export type ResolvedCall =
  | {
      readonly ok: true;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly repairs: readonly Repair[];
      /** The arguments could not be checked; the server has to. */
      readonly unchecked: boolean;
    }
  | {
      readonly ok: false;
      readonly label: AttemptLabel;
      /** The fault, in words that a model can act on. */
      readonly message: string;
      /** The tool that was meant, if that is clear. */
      readonly tool: string | undefined;
    };

/** Tools that the model is asked about, and characters of what each says of itself. */
const MAX_LISTED = 12;
const MAX_SUMMARY = 160;

interface RawCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly guessed?: boolean;
  /** The text it was written in, if that is known. */
  readonly raw?: string;
}

/**
 * Turns a call as the model wrote it into one that can run: finds the tool, fits the arguments to its schema and
 * checks them. A name without its server, or with its words in another form, runs the one tool that it may mean and
 * whose schema the arguments fit, or of several the one called last; letters that are merely similar run nothing. A call
 * completed by guessing must fit the schema and have no key the schema does not name.
 * @param called the tools called so far, the latest first
 */
export function resolveCall(call: RawCall, tools: ToolCatalog, called: readonly string[] = []): ResolvedCall {
  const name = tools.match(call.name);
  if (name !== undefined) return fitted(call, name, tools);
  const meant = tools.meant(call.name).map(one => ({ name: one, result: fitted(call, one, tools, true) }));
  const fitting = meant.filter(({ result }) => result.ok);
  const candidates = fitting.length > 0 ? fitting : meant;
  const latest = called.find(one => fitting.some(fits => fits.name === one));
  const chosen = candidates.length === 1 ? candidates[0] : fitting.find(one => one.name === latest);
  return (
    chosen?.result ??
    unknownTool(
      call.name,
      candidates.map(one => one.name),
      tools,
    )
  );
}

/** @param strict whether the arguments have to fit for certain, since the name is not quite the tool's */
function fitted(
  call: RawCall,
  name: string,
  tools: ToolCatalog,
  strict = call.guessed === true,
): ResolvedCall {
  const schema = tools.parametersOf(name) ?? {};
  const { value, changed } = coerce(call.arguments, schema, writtenNumbers(call.raw ?? ''));
  const args = value as Record<string, unknown>;
  const found = checkSchema(schema, args);
  const unchecked = !strict && isNotChecked(found);
  const problems = [...(unchecked ? [] : found), ...(strict ? unknownKeys(args, schema) : [])];
  if (problems.length > 0) {
    const lines = problems.map(problem => `- ${problemText(problem)}`).join('\n');
    const message = `The arguments of '${name}' do not fit its schema:\n${lines}`;
    return { ok: false, label: labelOf(problems), message, tool: name };
  }
  const repairs: Repair[] = [];
  if (name !== call.name) repairs.push('name');
  if (changed.length > 0) repairs.push('types');
  if (call.guessed) repairs.push('json');
  return { ok: true, name, arguments: args, repairs, unchecked };
}

/** Asks the model which tool it means, as far as that can be guessed. */
function unknownTool(name: string, meant: readonly string[], tools: ToolCatalog): ResolvedCall {
  const similar = meant.length > 0 ? meant : tools.similar(name);
  if (meant.length > 0 || similar.length > 1) {
    const what = meant.length > 0 ? `'${name}' may be several tools` : `There is no tool '${name}'`;
    const list = similar
      .slice(0, MAX_LISTED)
      .map(one => `- ${[one, tools.summaryOf(one).slice(0, MAX_SUMMARY)].filter(Boolean).join(': ')}`);
    const message = `${what}. Call the one you mean by its full name:\n${list.join('\n')}`;
    return { ok: false, label: 'wrong_tool', message, tool: undefined };
  }
  const guess = nearest(name, tools.names) ?? similar[0];
  const list = tools.shown.join(', ') || 'none';
  const message = `There is no tool '${name}'. ${guess ? `Did you mean '${guess}'? ` : ''}Tools: ${list}.`;
  return { ok: false, label: 'wrong_tool', message, tool: guess };
}

function unknownKeys(
  args: Record<string, unknown>,
  schema: Readonly<Record<string, unknown>>,
): SchemaProblem[] {
  const properties = (schema.properties ?? {}) as object;
  return Object.keys(args)
    .filter(key => !Object.hasOwn(properties, key))
    .map(key => ({
      path: `$.${key}`,
      keyword: 'additionalProperties',
      expected: 'no argument of this name',
      got: undefined,
    }));
}

function problemText({ path, expected, got }: SchemaProblem): string {
  return `${path}: expected ${expected}${got === undefined ? '' : `, got ${got}`}`;
}

function labelOf(problems: readonly SchemaProblem[]): AttemptLabel {
  const keywords = problems.map(problem => problem.keyword);
  if (keywords.includes('required')) return 'missing_required';
  if (keywords.includes('additionalProperties')) return 'hallucinated_param';
  return keywords.includes('type') ? 'type_mismatch' : 'schema_violation';
}
