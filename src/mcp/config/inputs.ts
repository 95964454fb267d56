import type { Node } from 'jsonc-parser';
import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';
import { jsonc } from '../../text/json/jsonc.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

/** A value that an mcp.json asks the user for, as in VS Code. */
export interface InputDefinition {
  readonly id: string;
  readonly description: string;
  /** Typed text is shown only if the file says `"password": false`. */
  readonly masked: boolean;
  readonly fallback?: string;
  /** The values of a `pickString`. */
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  /** Why it cannot have a value at all. */
  readonly refusal?: string;
}

/** Asks the user for a value; undefined if they give none. */
export type AskInput = (input: InputDefinition) => Promise<string | undefined>;

/** Looks up an input by id. Throws LlmHostError CONFIG if it has no value. */
export type InputLookup = (id: string) => string;

const ACCEPTED =
  'accepted: {"type": "promptString", "id": "key", "description": "...", "password": true} or ' +
  '{"type": "pickString", "id": "level", "description": "...", "options": ["a", "b"]}';

/** Reads the `inputs` of an mcp.json. A broken one is reported, and missing for entries that need it. */
export function readInputs(
  list: Node,
  at: (node: Node) => string,
  warn: (node: Node, message: string) => void,
): InputDefinition[] {
  if (list.type !== 'array') {
    warn(list, `'inputs' must be a list (${ACCEPTED})`);
    return [];
  }
  const inputs = new Map<string, InputDefinition>();
  for (const node of list.children ?? []) {
    const input = readInput(jsonc().getNodeValue(node), at(node));
    if (typeof input === 'string') warn(node, `${input} (${ACCEPTED})`);
    else if (inputs.has(input.id))
      warn(node, `input ${quoted(input.id)} is defined twice; the first is used`);
    else inputs.set(input.id, input);
  }
  return [...inputs.values()];
}

function readInput(value: unknown, place: string): InputDefinition | string {
  if (!isPlainObject(value)) return 'an input must be an object';
  const { id, type, description, password, default: fallback } = value;
  if (typeof id !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(id)) {
    return "an input needs an 'id' of 1 to 64 letters, digits, '_', '-' or '.'";
  }
  if (password !== undefined && typeof password !== 'boolean')
    return `input '${id}': 'password' must be true or false`;
  if (fallback !== undefined && typeof fallback !== 'string')
    return `input '${id}': 'default' must be a string`;
  const common = {
    id,
    description: typeof description === 'string' && description.trim() !== '' ? description : id,
    masked: type === 'promptString' && password !== false,
    ...(fallback !== undefined && { fallback }),
  };
  if (type === 'promptString') return common;
  if (type === 'command') {
    const refusal = `${place}: input '${id}' runs a command of an editor, which this host has not`;
    return { ...common, refusal };
  }
  if (type !== 'pickString') return `input '${id}': 'type' is ${quoted(type ?? 'missing')}`;
  const options = Array.isArray(value.options) ? value.options.map(readOption) : [];
  if (options.length === 0 || options.some(option => option === undefined)) {
    return `input '${id}': 'options' must be a list of strings, or of objects with 'label' and 'value'`;
  }
  return { ...common, options: options.filter(option => option !== undefined) };
}

function readOption(option: unknown): { label: string; value: string } | undefined {
  if (typeof option === 'string') return { label: option, value: option };
  if (!isPlainObject(option) || typeof option.value !== 'string') return undefined;
  return { label: typeof option.label === 'string' ? option.label : option.value, value: option.value };
}

/** `api-key` -> `LLM_HOST_INPUT_API_KEY` */
export function inputVariable(id: string): string {
  return `LLM_HOST_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/**
 * Resolves the inputs in `needed`, each once: from `LLM_HOST_INPUT_<ID>`, else through `ask`, else the default in the
 * file. `ask` is undefined if nobody can be asked. Rejects only if `ask` does.
 */
export async function resolveInputs(
  definitions: readonly InputDefinition[],
  needed: Iterable<string>,
  env: Readonly<Record<string, string | undefined>>,
  ask?: AskInput,
): Promise<{ lookup: InputLookup; secrets: readonly string[] }> {
  const values = new Map<string, string>();
  const problems = new Map<string, string>();
  const secrets: string[] = [];
  for (const id of new Set(needed)) {
    const input = definitions.find(one => one.id === id);
    const value = input && input.refusal === undefined ? await obtain(input, env, ask) : undefined;
    if (value === undefined || !input) {
      problems.set(
        id,
        input ? (input.refusal ?? noValue(input)) : `there is no input ${quoted(id)} under "inputs"`,
      );
    } else if (input.options && !input.options.some(option => option.value === value)) {
      const known = input.options.map(option => quoted(option.value)).join(', ');
      problems.set(id, `input '${id}' is ${quoted(value)}, which is none of ${known}`);
    } else {
      values.set(id, value);
      if (input.masked) secrets.push(value);
    }
  }
  const lookup = (id: string): string => {
    const value = values.get(id);
    if (value !== undefined) return value;
    throw new LlmHostError('CONFIG', problems.get(id) ?? `input ${quoted(id)} was not asked for`);
  };
  return { lookup, secrets };
}

async function obtain(
  input: InputDefinition,
  env: Readonly<Record<string, string | undefined>>,
  ask: AskInput | undefined,
): Promise<string | undefined> {
  const name = inputVariable(input.id);
  const given = Object.hasOwn(env, name) ? env[name] : undefined;
  if (given !== undefined) return given;
  const answer = await ask?.(input);
  return answer === undefined || answer === '' ? input.fallback : answer;
}

function noValue({ id }: InputDefinition): string {
  return `input '${id}' has no value: set ${inputVariable(id)}, or start on a terminal and type it`;
}
