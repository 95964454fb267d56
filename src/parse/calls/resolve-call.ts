import { nearest } from '../../text/nearest.ts';
import { checkSchema, isNotChecked, type SchemaProblem } from '../json/schema-check.ts';
import { coerce } from './coerce.ts';
import type { ToolCatalog } from './tool-catalog.ts';

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

/** What had to be repaired before a call could run. */
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
      /** What was wrong, in words a model can act on. */
      readonly message: string;
      /** The tool that was meant, if that is clear. */
      readonly tool: string | undefined;
    };

interface RawCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly guessed?: boolean;
}

/**
 * Turns a call as the model wrote it into one that can run: finds the tool, fits the arguments to its schema and
 * checks them. A name that is merely similar never runs a tool. A call completed by guessing must fit the schema and
 * have no key the schema does not name.
 */
export function resolveCall(call: RawCall, tools: ToolCatalog): ResolvedCall {
  const name = tools.match(call.name);
  if (name === undefined) return unknownTool(call.name, tools);
  const schema = tools.parametersOf(name) ?? {};
  const { value, changed } = coerce(call.arguments, schema);
  const args = value as Record<string, unknown>;
  const found = checkSchema(schema, args);
  // A call completed by guessing must be known to fit.
  const unchecked = !call.guessed && isNotChecked(found);
  const problems = [...(unchecked ? [] : found), ...(call.guessed ? unknownKeys(args, schema) : [])];
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

function unknownTool(name: string, tools: ToolCatalog): ResolvedCall {
  const guess = nearest(name, tools.names);
  const list = tools.names.join(', ') || 'none';
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
