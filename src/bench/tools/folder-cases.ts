import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { Expected, ExpectedCall, ParameterType, ToolCase, ToolSignature } from './tool-case.ts';
import { readTypedJson } from './typed-values.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const ROLES = ['system', 'user', 'assistant'];

export interface FolderCases {
  readonly cases: readonly ToolCase[];
  /** Hash of all files that were read. */
  readonly sha256: string;
}

/**
 * A user's own questions, in the form of docs/tool-benchmark.md: `CATEGORY.jsonl` with a question on each line, and
 * `tools.json` with tools for all of them.
 * @throws LlmHostError CONFIG with file and line
 */
export function readFolder(folder: string): FolderCases {
  const hash = createHash('sha256');
  const read = (name: string) => {
    const text = readTextFile(join(folder, name), MAX_BYTES);
    hash.update(`${name}\0${text}\0`);
    return text;
  };
  const names = listed(folder);
  const shared = names.includes('tools.json')
    ? within(join(folder, 'tools.json'), () => toolsOf(JSON.parse(read('tools.json'))))
    : [];
  const files = names.filter(name => name.endsWith('.jsonl')).sort();
  const cases = files.flatMap(name => {
    const path = join(folder, name);
    const lines = within(path, () => read(name)).split('\n');
    return lines.flatMap((line, index) =>
      line.trim() === ''
        ? []
        : [
            within(`${path}:${index + 1}`, () =>
              caseOf(readTypedJson(line), basename(name, '.jsonl'), index, shared),
            ),
          ],
    );
  });
  if (cases.length === 0) throw refused(folder, 'it has no .jsonl file with questions');
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw refused(folder, `the id '${id}' is there twice`);
    ids.add(id);
  }
  return { cases, sha256: hash.digest('hex') };
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw refused(folder, messageOf(error));
  }
}

function caseOf(line: unknown, category: string, index: number, shared: readonly ToolDefinition[]): ToolCase {
  if (!isPlainObject(line)) throw new Error('it is not an object');
  const { id = `${category}_${index + 1}`, question, tools, calls } = line;
  if (typeof id !== 'string') throw new Error("'id' is not a text");
  const own = tools === undefined ? shared : toolsOf(tools);
  if (tools === undefined && own.length === 0)
    throw new Error("there are no tools: give 'tools', or a tools.json for all questions");
  return { id, category, messages: messagesOf(question), tools: own, expected: expectedOf(calls, own) };
}

function messagesOf(question: unknown): readonly Message[] {
  if (typeof question === 'string') return [{ role: 'user', content: question }];
  const messages = Array.isArray(question) ? question : [];
  const isMessage = (one: unknown) =>
    isPlainObject(one) && ROLES.includes(one.role as string) && typeof one.content === 'string';
  if (messages.length > 0 && messages.every(isMessage)) return messages as Message[];
  throw new Error("'question' is neither a text nor a list of messages with role and content");
}

/** With or without the API's wrapping of `type` and `function`. */
function toolsOf(given: unknown): ToolDefinition[] {
  if (!Array.isArray(given)) throw new Error('the tools are not a list');
  return given.map((entry): ToolDefinition => {
    const tool = isPlainObject(entry) && isPlainObject(entry.function) ? entry.function : entry;
    if (!isPlainObject(tool) || typeof tool.name !== 'string') throw new Error("a tool has no 'name'");
    const { name, description, parameters = tool.inputSchema ?? { type: 'object', properties: {} } } = tool;
    if (!isPlainObject(parameters))
      throw new Error(`'parameters' of the tool '${name}' is not a JSON Schema`);
    return {
      type: 'function',
      function: { name, ...(typeof description === 'string' && { description }), parameters },
    };
  });
}

function expectedOf(calls: unknown, tools: readonly ToolDefinition[]): Expected {
  if (calls === 'any') return { kind: 'some' };
  if (!Array.isArray(calls)) throw new Error('\'calls\' is neither a list of calls nor "any"');
  if (calls.length === 0) return { kind: 'none' };
  const signatures = new Map(
    tools.map(({ function: { name, parameters } }) => [name, signatureOf(parameters)]),
  );
  return { kind: 'calls', signatures, calls: calls.map(call => callOf(call, signatures)) };
}

function callOf(call: unknown, signatures: ReadonlyMap<string, ToolSignature>): ExpectedCall {
  if (!isPlainObject(call) || typeof call.name !== 'string') throw new Error("a call has no 'name'");
  const signature = signatures.get(call.name);
  if (!signature) throw new Error(`there is no tool '${call.name}'`);
  const given = call.arguments ?? {};
  if (!isPlainObject(given)) throw new Error(`'arguments' of the call of '${call.name}' is not an object`);
  const entries = Object.entries(given).map(([name, accepted]) => {
    if (!signature.parameters.has(name)) throw new Error(`the tool '${call.name}' has no argument '${name}'`);
    if (!Array.isArray(accepted))
      throw new Error(`'${name}' of '${call.name}' is not a list of accepted values`);
    return [name, accepted] as const;
  });
  return { name: call.name, arguments: Object.fromEntries(entries) };
}

function signatureOf(schema: Readonly<Record<string, unknown>>): ToolSignature {
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    parameters: new Map(Object.entries(properties).map(([name, property]) => [name, typeOfSchema(property)])),
    required: required.filter(name => typeof name === 'string'),
  };
}

/** A schema without one plain type is compared as it stands. */
function typeOfSchema(schema: unknown): ParameterType {
  const { type, items } = isPlainObject(schema) ? schema : {};
  const name = (given: unknown) => (typeof given === 'string' ? given : undefined);
  return { type: name(type) ?? '', itemType: isPlainObject(items) ? name(items.type) : undefined };
}

function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof LlmHostError ? error : refused(place, messageOf(error));
  }
}

function refused(place: string, what: string): LlmHostError {
  return new LlmHostError('CONFIG', `${place}: ${what}`, {
    hint: 'The form of the files: docs/tool-benchmark.md',
  });
}

/** `a` to work with, `b` to judge by: a change made for one half shows on the other whether it helps. */
export type Half = 'a' | 'b';

interface Choice {
  /** Cases of each category; undefined: all. */
  readonly perCategory: number | undefined;
  /** Default: both. */
  readonly half?: Half | undefined;
}

/** A sample that is the same in every run: it depends only on the ids of the cases. In the order of `cases`. */
export function chooseCases(cases: readonly ToolCase[], { perCategory, half }: Choice): ToolCase[] {
  const places = new Map(cases.map(one => [one, createHash('sha256').update(one.id).digest('hex')]));
  const place = (one: ToolCase) => places.get(one) as string;
  const eligible = half ? cases.filter(one => halfOf(place(one)) === half) : cases;
  if (perCategory === undefined) return [...eligible];
  const chosen = new Set<ToolCase>();
  for (const category of new Set(eligible.map(one => one.category))) {
    const own = eligible.filter(one => one.category === category);
    for (const one of own.sort((x, y) => (place(x) < place(y) ? -1 : 1)).slice(0, perCategory))
      chosen.add(one);
  }
  return eligible.filter(one => chosen.has(one));
}

/** By a digit that does not decide the order. */
const halfOf = (digest: string): Half => (Number.parseInt(digest.at(-1) as string, 16) % 2 === 0 ? 'a' : 'b');
