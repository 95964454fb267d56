/** What a check has found. */
export interface Finding {
  /** What was looked at: node, engine, memory, ... */
  readonly check: string;
  /** A warning is about what not everybody needs; an error keeps the program from working. */
  readonly state: 'ok' | 'warning' | 'error';
  /** One line. */
  readonly message: string;
  /** What mends it, one or more lines. */
  readonly fix?: string;
  /** Of the whole command when this is its first error. */
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
