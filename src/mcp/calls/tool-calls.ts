import { isDeepStrictEqual } from 'node:util';
import { LlmHostError } from '../../errors.ts';
import { checkSchema, isNotChecked } from '../../parse/json/schema-check.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { type AuditEntry, AuditLog } from '../policy/audit.ts';
import type { Redactor } from '../policy/audit-redact.ts';
import type { CallGate } from '../policy/gate.ts';
import { cleanLine, isCleanName, TEXT_LIMITS } from '../server/incoming-text.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { TaskState } from '../server/task-state.ts';
import type { CallResult, ServerTool } from '../server/wire-schemas.ts';
import type { HostCallOptions, ToolOutcome } from '../tool-host.ts';
import { fingerprint } from '../trust/tools.ts';
import { callServer } from './call.ts';
import type { Target } from './offered-tools.ts';
import type { ResourceReads } from './resource-reads.ts';
import { resultText } from './result-text.ts';
import { type SavedMedia, savedPath } from './saved-media.ts';
import type { TaskCall, Tasks } from './tasks.ts';

/** UTF-16 units of a result that is kept to be read on. */
const MAX_WHOLE_CHARS = 1_000_000;

/** The limit for one result. */
const MAX_LINKS = 20;

export interface ToolCallsOptions {
  /** Refuses calls, or asks the user about them. */
  readonly gate: CallGate;
  readonly maxResultChars: number;
  /** JSONL file that records every call; undefined: none. */
  readonly auditFile: string | undefined;
  /** Keeps secrets out of that record. */
  readonly redactor: Redactor | undefined;
  readonly tasks: Tasks;
  readonly media: SavedMedia;
  readonly reads: ResourceReads;
  readonly onLog: ((server: string, line: string) => void) | undefined;
}

/** Calls tools: each call passes the gate, runs on its server and is recorded. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #audit: AuditLog | undefined;
  /** Tools that may run as tasks, and need to: a call has outlasted its limit. */
  readonly #slow = new Set<string>();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    const { auditFile, redactor, onLog } = options;
    if (auditFile !== undefined)
      this.#audit = new AuditLog(auditFile, line => onLog?.('audit', line), redactor);
  }

  /** @throws LlmHostError as `ToolHost.call` does. */
  call(
    target: Target,
    args: Readonly<Record<string, unknown>>,
    options: HostCallOptions,
  ): Promise<ToolOutcome> {
    return this.#recorded(target, args, options, run => this.#run(target, run, options));
  }

  /** Reads a resource that a result has linked to; as a call that the user may be asked about. */
  readLink(server: ManagedServer, uri: string, options: HostCallOptions): Promise<ToolOutcome> {
    return this.#recorded(linkReader(server), { uri }, options, async ({ uri: permitted }) =>
      this.#outcome(server, await this.#options.reads.read(server, String(permitted), options)),
    );
  }

  async #recorded(
    target: Target,
    args: Readonly<Record<string, unknown>>,
    options: HostCallOptions,
    work: (run: Readonly<Record<string, unknown>>) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const { tool } = target;
    const asked = performance.now();
    const time = new Date().toISOString();
    let started = asked;
    let run = args;
    const record = (outcome: AuditEntry['outcome']): void =>
      this.#audit?.append({
        time,
        server: tool.server,
        tool: tool.tool,
        arguments: run,
        outcome,
        durationMs: Math.round(performance.now() - started),
      });
    let permitted = false;
    try {
      try {
        run = await this.#permit(target, args, options);
      } finally {
        started = performance.now();
        const changed = isDeepStrictEqual(run, args) ? undefined : run;
        options.onPermit?.({ waitedMs: started - asked, changed });
      }
      refuseChanged(target);
      permitted = true;
      const outcome = await work(run);
      record(outcome.isError ? 'tool_error' : 'ok');
      return outcome;
    } catch (error) {
      const outcome = outcomeOf(error);
      record(permitted || outcome === 'cancelled' ? outcome : 'refused');
      throw error;
    }
  }

  #permit(
    { tool, server, definition }: Target,
    args: Readonly<Record<string, unknown>>,
    { signal, approver }: HostCallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { name, parameters } = tool.definition.function;
    const gated = { offered: name, tool: tool.tool, server: tool.server, definition, parameters };
    const subject = { ...gated, config: server.config };
    return this.#options.gate.permit(subject, server.config, args, signal, approver);
  }

  async #run(
    { tool, server, definition }: Target,
    args: Readonly<Record<string, unknown>>,
    options: HostCallOptions,
  ): Promise<ToolOutcome> {
    const key = `${server.config.name}\0${tool.tool}`;
    const subject = `Tool '${tool.definition.function.name}'`;
    const action = `the call of '${tool.tool}'`;
    const asTask = this.#slow.has(key);
    const answer = await callServer(
      {
        server,
        subject,
        action,
        run: (connection, hooks) => connection.call(definition, args, { ...hooks, asTask }),
      },
      options,
    ).catch(error => {
      if (definition.execution?.taskSupport !== 'optional' || !isTimeout(error)) throw error;
      this.#slow.add(key);
      throw new LlmHostError(
        'TOOL_TIMEOUT',
        `${error.message}; called again it runs as a task, which may take longer`,
      );
    });
    if (!('task' in answer)) return this.#outcome(server, answer, definition);
    const task = answer.task as TaskState;
    const given = await this.#wait({ tool: tool.definition.function.name, server, task }, options);
    return this.#outcome(server, given, definition);
  }

  #outcome(server: ManagedServer, given: CallResult, definition?: ServerTool): ToolOutcome {
    const { maxResultChars, media } = this.#options;
    const result = media.save(given);
    const note = definition === undefined ? '' : outputNote(definition, result);
    const text = resultText(result, maxResultChars);
    const whole = text.length > maxResultChars ? { whole: resultText(result, MAX_WHOLE_CHARS) + note } : {};
    const saved = (result.content ?? []).flatMap(block => savedPath(block) ?? []);
    const links = linksOf(result).map(uri => ({ server: server.config.name, uri }));
    return {
      text: text + note,
      ...whole,
      isError: result.isError === true,
      ...(links.length > 0 && { links }),
      ...(saved.length > 0 && { saved }),
    };
  }

  #wait(call: TaskCall, options: HostCallOptions): Promise<CallResult> {
    return this.#options.tasks.wait(call, call.server.config.timeoutMs ?? options.timeoutMs, options);
  }
}

/**
 * An approval is for the tool as it was described then: its server may have changed it while the user was asked. Throws
 * LlmHostError TOOL_REFUSED.
 */
function refuseChanged({ tool, server, definition }: Target): void {
  // Ours, whatever tool of its own the server has under that name.
  if (definition === LINK_READER) return;
  const now = server.tools.find(({ name }) => name === tool.tool);
  if (now === undefined || now === definition || fingerprint(now) === fingerprint(definition)) return;
  throw new LlmHostError(
    'TOOL_REFUSED',
    `The definition of '${tool.definition.function.name}' changed while its call waited; it was not called. Call it again if it still fits`,
  );
}

function outcomeOf(error: unknown): AuditEntry['outcome'] {
  const code = error instanceof LlmHostError ? error.code : undefined;
  if (code === 'TOOL_TIMEOUT') return 'timeout';
  return code === 'CANCELLED' ? 'cancelled' : 'failed';
}

function isTimeout(error: unknown): error is LlmHostError {
  return error instanceof LlmHostError && error.code === 'TOOL_TIMEOUT';
}

/** The addresses that a result links to, as far as they can be repeated exactly. */
function linksOf({ content = [] }: CallResult): string[] {
  const uris = content.flatMap(({ type, uri }) =>
    type === 'resource_link' && typeof uri === 'string' && uri !== '' && isCleanName(uri, TEXT_LIMITS.uri)
      ? [uri]
      : [],
  );
  return [...new Set(uris)].slice(0, MAX_LINKS);
}

const LINK_PARAMETERS = { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] };
const LINK_READER: ServerTool = {
  name: 'read_resource',
  inputSchema: LINK_PARAMETERS,
  annotations: { readOnlyHint: true },
};

/** The reading of links, as a tool that the user can be asked about. */
function linkReader(server: ManagedServer): Target {
  const { name } = LINK_READER;
  const parameters = LINK_PARAMETERS;
  return {
    server,
    definition: LINK_READER,
    tool: {
      definition: { type: 'function', function: { name, parameters } },
      server: server.config.name,
      tool: name,
      readOnly: true,
    },
  };
}

/** A note for the model if the structured result breaks what the tool itself promises; '' if not. */
export function outputNote({ outputSchema }: ServerTool, result: CallResult): string {
  const { structuredContent, isError } = result;
  if (!isPlainObject(outputSchema) || structuredContent === undefined || isError === true) return '';
  const problems = checkSchema(outputSchema, structuredContent);
  const [first] = problems;
  if (first === undefined || isNotChecked(problems)) return '';
  const got = first.got === undefined ? 'nothing' : first.got;
  const text = `${first.path} should be ${first.expected}, but is ${got}`;
  return `\n[This result breaks the tool's own outputSchema: ${cleanLine(text, TEXT_LIMITS.notice)}]`;
}
