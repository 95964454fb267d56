import { LlmHostError } from '../errors.ts';
import type { Target } from './offered-tools.ts';
import { outputNote } from './output-check.ts';
import { type AuditEntry, AuditLog } from './policy/audit.ts';
import type { Redactor } from './policy/audit-redact.ts';
import type { CallGate } from './policy/gate.ts';
import { resultText } from './result-text.ts';
import type { SavedMedia } from './saved-media.ts';
import { callServer } from './server/call.ts';
import type { TaskState } from './server/task-state.ts';
import type { CallResult } from './server/wire-schemas.ts';
import type { TaskCall, Tasks } from './tasks.ts';
import type { CallOptions, ToolOutcome } from './tool-host.ts';
import { fingerprint } from './trust/tools.ts';

/** UTF-16 units of a result that is kept to be read on. */
const MAX_WHOLE_CHARS = 1_000_000;

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
  readonly onLog: ((server: string, line: string) => void) | undefined;
}

/** Calls tools: each call passes the gate, runs on its server and is recorded. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #audit: AuditLog | undefined;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    const { auditFile, redactor, onLog } = options;
    if (auditFile !== undefined)
      this.#audit = new AuditLog(auditFile, line => onLog?.('audit', line), redactor);
  }

  /** @throws LlmHostError as `ToolHost.call` does. */
  async call(
    target: Target,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    const { tool } = target;
    const asked = performance.now();
    const time = new Date().toISOString();
    let started = asked;
    let run = args;
    const record = (outcome: AuditEntry['outcome']): void =>
      this.#audit?.append({
        ...{ time, server: tool.server, tool: tool.tool, arguments: run, outcome },
        durationMs: Math.round(performance.now() - started),
      });
    let permitted = false;
    try {
      try {
        run = await this.#permit(target, args, options.signal);
      } finally {
        started = performance.now();
        options.onPermit?.({ waitedMs: started - asked, arguments: run });
      }
      refuseChanged(target);
      permitted = true;
      const outcome = await this.#run(target, run, options);
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
    signal: AbortSignal | undefined,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { name, parameters } = tool.definition.function;
    const gated = { offered: name, tool: tool.tool, server: tool.server, definition, parameters };
    return this.#options.gate.permit({ ...gated, config: server.config }, server.config, args, signal);
  }

  async #run(
    { tool, server, definition }: Target,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    const answer = await callServer(
      {
        server,
        subject: `Tool '${tool.definition.function.name}'`,
        action: `the call of '${tool.tool}'`,
        run: (connection, hooks) => connection.call(definition, args, hooks),
      },
      options,
    );
    const { maxResultChars, media } = this.#options;
    const given =
      'task' in answer
        ? await this.#wait(
            { tool: tool.definition.function.name, server, task: answer.task as TaskState },
            options,
          )
        : answer;
    const result = media.save(given);
    const note = outputNote(definition, result);
    const text = resultText(result, maxResultChars);
    const whole = text.length > maxResultChars ? { whole: resultText(result, MAX_WHOLE_CHARS) + note } : {};
    return { text: text + note, ...whole, isError: result.isError === true };
  }
  #wait(call: TaskCall, options: CallOptions): Promise<CallResult> {
    return this.#options.tasks.wait(call, call.server.config.timeoutMs ?? options.timeoutMs, options);
  }
}

/**
 * What was allowed is the tool as it was described then: its server may have changed it while the user was asked. Throws
 * LlmHostError TOOL_REFUSED.
 */
function refuseChanged({ tool, server, definition }: Target): void {
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
