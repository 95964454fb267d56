/** The result of a check. */
export interface Finding {
  /** The subject of the check: node, engine, memory, ... */
  readonly check: string;
  /** A warning concerns something not everybody needs; an error keeps the program from working. */
  readonly state: 'ok' | 'warning' | 'error';
  /** One line. */
  readonly message: string;
  /** The fix, one or more lines. */
  readonly fix?: string;
  /** The command's exit code if this is its first error. */
  readonly exitCode?: number;
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, state: 'warning', message, fix };
}

export function failed(check: string, message: string, fix: string, exitCode: number): Finding {
  return { check, state: 'error', message, fix, exitCode };
}
