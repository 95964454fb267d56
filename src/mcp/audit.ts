import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../errors.ts';

/** One tool call, as it is kept. */
export interface AuditEntry {
  readonly time: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly outcome: 'ok' | 'tool_error' | 'timeout' | 'cancelled' | 'failed';
  readonly durationMs: number;
}

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_STRING_CHARS = 2000;
const MAX_DEPTH = 8;
const SECRET =
  /pass(word|phrase|wd)?$|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|auth|credential|cookie/i;

/**
 * Appends each call to a JSONL file that only its owner may read. At 5 MB the file becomes `<path>.1`, replacing an
 * older one. A failure to write is reported once by `onWarning` and never stops a call.
 */
export class AuditLog {
  readonly #path: string;
  readonly #onWarning: (message: string) => void;
  #warned = false;

  constructor(path: string, onWarning: (message: string) => void) {
    this.#path = path;
    this.#onWarning = onWarning;
  }

  append(entry: AuditEntry): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#rotate();
      const line = JSON.stringify({ ...entry, arguments: redact(entry.arguments, 0) });
      appendFileSync(this.#path, `${line}\n`, { mode: 0o600 });
    } catch (error) {
      if (!this.#warned) this.#onWarning(`calls are not recorded in ${this.#path}: ${messageOf(error)}`);
      this.#warned = true;
    }
  }

  #rotate(): void {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.size >= MAX_BYTES) renameSync(this.#path, `${this.#path}.1`);
    else if ((stat.mode & 0o077) !== 0) chmodSync(this.#path, 0o600);
  }
}

/** Values under keys that look secret become `[redacted]`; long strings and deep values are shortened. */
export function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'string' && value.length > MAX_STRING_CHARS) {
    return `${value.slice(0, MAX_STRING_CHARS)}... [${value.length} characters]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deeper values left out]';
  if (Array.isArray(value)) return value.map(item => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET.test(key) ? '[redacted]' : redact(item, depth + 1),
    ]),
  );
}
