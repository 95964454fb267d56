import { chmodSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { appendText } from '../../text/files/open-for-writing.ts';
import { Redactor } from './audit-redact.ts';

/** One recorded tool call. */
export interface AuditEntry {
  readonly time: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `refused`: by the policy or the user; it never reached the server. */
  readonly outcome: 'ok' | 'tool_error' | 'timeout' | 'cancelled' | 'failed' | 'refused';
  readonly durationMs: number;
}

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINE_CHARS = 64 * 1024;
/** Rotated files to keep: `<path>.1` is the newest. */
const KEPT = 3;

/**
 * Appends each call to a JSONL file that only its owner can read. At 5 MB the file becomes `<path>.1`, `.1` becomes
 * `.2`, and so on up to `.3`. A failed write is reported once and never stops a call.
 */
export class AuditLog {
  readonly #path: string;
  readonly #onWarning: (message: string) => void;
  readonly #redactor: Redactor;
  #warned = false;

  constructor(path: string, onWarning: (message: string) => void, redactor = new Redactor()) {
    this.#path = path;
    this.#onWarning = onWarning;
    this.#redactor = redactor;
  }

  append(entry: AuditEntry): void {
    try {
      makeFolder(dirname(this.#path), 0o700);
      this.#rotate();
      appendText(this.#path, `${this.#line(entry)}\n`, 0o600);
    } catch (error) {
      if (!this.#warned) this.#onWarning(`calls are not recorded in ${this.#path}: ${messageOf(error)}`);
      this.#warned = true;
    }
  }

  #line(entry: AuditEntry): string {
    const line = JSON.stringify({ ...entry, arguments: this.#redactor.value(entry.arguments) });
    if (line.length <= MAX_LINE_CHARS) return line;
    return JSON.stringify({ ...entry, arguments: `[${line.length} characters]` });
  }

  #rotate(): void {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.size < MAX_BYTES) {
      if ((stat.mode & 0o077) !== 0) chmodSync(this.#path, 0o600);
      return;
    }
    for (let age = KEPT; age > 0; age--) {
      const from = age === 1 ? this.#path : `${this.#path}.${age - 1}`;
      if (statSync(from, { throwIfNoEntry: false })?.isFile()) renameSync(from, `${this.#path}.${age}`);
    }
  }
}
