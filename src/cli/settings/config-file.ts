import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Node } from 'jsonc-parser';
import type { ToolProtocol } from '../../agent/model/call-protocol.ts';
import type { ConstrainMode, Overflow } from '../../agent/turn/agent-options.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { Approval } from '../../mcp/config/types.ts';
import {
  promptStyleNamed,
  promptStyleNames,
  type UserPromptStyle,
} from '../../parse/formats/prompt-style.ts';
import { formatProblem, type UserFormat, type UserTemplate } from '../../parse/formats/user-format.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { isHttpAddress } from '../../text/http-address.ts';
import { parseJsonWithComments, positionOf } from '../../text/json/json-with-comments.ts';
import { nearest } from '../../text/nearest.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import { APPLICATION_DIRECTORY } from '../process/app.ts';

/** config.json; the schema in config.schema.json describes every field. */
export interface AppConfig {
  readonly SystemPrompt: string;
  readonly model?: string;
  readonly draftModel?: string;
  /** 0: nothing is kept. Default 4096. */
  readonly diskCacheMb?: number;
  readonly sampling?: Sampling;
  readonly context?: number;
  readonly overflow?: Overflow;
  readonly tools?: {
    readonly timeout?: number;
    /** Tokens of definitions; 0: no limit. */
    readonly budget?: number;
    /** Tools and servers. */
    readonly pinned?: readonly string[];
    readonly maxResultChars?: number;
    readonly blocked?: readonly string[];
    readonly allowed?: readonly string[];
    readonly ratePerMinute?: number;
    readonly approval?: Approval;
    readonly audit?: boolean;
    readonly metricsFile?: string;
    readonly constrain?: ConstrainMode;
  };
  /** Default true. */
  readonly repetitionGuard?: boolean;
  readonly retry?: { readonly max?: number; readonly temperatureStep?: number };
  readonly toolProtocol?: ToolProtocol;
  /** A built-in style or one of `promptStyles`. */
  readonly promptStyle?: string;
  readonly promptStyles?: Readonly<Record<string, UserPromptStyle>>;
  /** Formats that come before those of the built-in table. */
  readonly toolFormats?: readonly (UserFormat | UserTemplate)[];
  readonly ollama?: {
    readonly base_url?: string;
    readonly model?: string;
    /** Seconds. */
    readonly timeout?: number;
  };
  readonly theme?: 'auto' | 'dark' | 'light' | 'none';
  readonly images?: 'auto' | 'kitty' | 'iterm2' | 'off';
  readonly notify?: {
    readonly with?: 'bell' | 'osc9' | 'osc777' | 'off';
    /** Seconds. */
    readonly after?: number;
  };
  readonly logging?: { readonly level?: string; readonly file?: string };
}

const MAX_FILE_BYTES = 1024 * 1024;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Reads and checks a config file. Throws LlmHostError CONFIG; unknown keys only warn. */
export function readConfigFile(path: string): { config: AppConfig; warnings: string[] } {
  let text: string;
  try {
    text = readTextFile(path, MAX_FILE_BYTES);
  } catch (error) {
    throw new LlmHostError('CONFIG', messageOf(error), { cause: error });
  }
  return parseConfig(text, path);
}

function configSchema(): Schema {
  return JSON.parse(readFileSync(join(APPLICATION_DIRECTORY, 'config.schema.json'), 'utf8')) as Schema;
}

/** The top-level keys of a config.json. `$schema` is left out: every program's JSON may have it. */
export function configKeys(): string[] {
  return Object.keys(configSchema().properties ?? {}).filter(key => key !== '$schema');
}

let validator: { schema: Schema; validate: ValidateFunction } | undefined;

/** Compiling takes 8 ms. */
function configValidator() {
  const schema = validator?.schema ?? configSchema();
  validator ??= { schema, validate: new Ajv2020({ strict: false, ownProperties: true }).compile(schema) };
  return validator;
}

/** Throws LlmHostError CONFIG, which names the file as the user does, with its path and line below. */
export function parseConfig(text: string, path: string): { config: AppConfig; warnings: string[] } {
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok)
    throw new LlmHostError('CONFIG', `Invalid JSON in ${basename(path)}: ${parsed.detail}`, {
      hint: `File: ${path}`,
    });
  const { schema, validate } = configValidator();
  if (!validate(parsed.value)) {
    const error = validate.errors?.[0];
    throw new LlmHostError('CONFIG', `${basename(path)}: ${error ? describe(error) : 'invalid'}`, {
      hint: `At ${path}:${lineOf(text, parsed.root, error)}. config.schema.json describes every field.`,
    });
  }
  checkMeaning(parsed.value as AppConfig, text, parsed.root, path);
  const warnings = unknownKeys(parsed.value, schema, []).map(({ path: keys, guess }) => {
    const { line } = positionOf(text, parsed.root, keys);
    return `${path}:${line}: unknown key '${keys.join('.')}'${guess ? `; did you mean '${guess}'?` : ''}`;
  });
  return { config: parsed.value as AppConfig, warnings };
}

/** Checks what the schema cannot express. */
function checkMeaning(config: AppConfig, text: string, root: Node, path: string): void {
  const problem = styleProblem(config) ?? rowProblem(config) ?? addressProblem(config);
  if (!problem) return;
  const keys = problem.path;
  throw new LlmHostError('CONFIG', `${basename(path)}: the field '${keys.join('.')}' ${problem.message}`, {
    hint: `At ${path}:${positionOf(text, root, keys).line}.`,
  });
}

function rowProblem({ toolFormats = [] }: AppConfig) {
  const problem = formatProblem(toolFormats);
  return problem && { ...problem, path: ['toolFormats', ...problem.path] };
}

function addressProblem({ ollama }: AppConfig) {
  if (ollama?.base_url === undefined || isHttpAddress(ollama.base_url)) return undefined;
  return { path: ['ollama', 'base_url'], message: 'must be an address that begins with http:// or https://' };
}

function styleProblem({ promptStyle, promptStyles = {} }: AppConfig) {
  const same = Object.entries(promptStyles).find(([, style]) => style.opener === style.closer);
  if (same) return { path: ['promptStyles', same[0], 'closer'], message: 'must differ from the opener' };
  if (promptStyle === undefined || promptStyleNamed(promptStyle, promptStyles)) return undefined;
  const known = promptStyleNames(promptStyles).join(', ');
  return { path: ['promptStyle'], message: `is not a known style; known: ${known}` };
}

function describe(error: ErrorObject): string {
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'required') {
    const field = String((error.params as { missingProperty: string }).missingProperty);
    return `the field '${at ? `${at}.` : ''}${field}' is missing`;
  }
  const subject = at ? `the field '${at}'` : 'the file';
  if (error.keyword === 'enum') {
    const { allowedValues } = error.params as { allowedValues: readonly unknown[] };
    return `${subject} must be one of ${allowedValues.map(value => JSON.stringify(value)).join(', ')}`;
  }
  return `${subject} ${error.message ?? 'is invalid'}`;
}

function lineOf(text: string, root: Node, error: ErrorObject | undefined): number {
  const path = (error?.instancePath ?? '').split('/').slice(1);
  // A number is an index in a list but a key in an object; the wrong one of the two finds only a parent.
  const indexed = path.map(key => (/^\d+$/.test(key) ? Number(key) : key));
  return Math.max(positionOf(text, root, path).line, positionOf(text, root, indexed).line);
}

function unknownKeys(
  value: unknown,
  schema: Schema,
  path: (string | number)[],
): { path: (string | number)[]; guess: string | undefined }[] {
  const { properties: known, items } = schema;
  if (Array.isArray(value) && items) {
    return value.flatMap((item, index) => unknownKeys(item, items, [...path, index]));
  }
  if (!known || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const inner = Object.hasOwn(known, key) ? known[key] : undefined;
    if (inner) return unknownKeys(child, inner, [...path, key]);
    return [{ path: [...path, key], guess: nearest(key, Object.keys(known)) }];
  });
}
