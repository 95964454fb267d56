import type { McpLimits } from './config/limits.ts';
import type { ServerConfig } from './config/types.ts';
import type { OAuthOptions } from './oauth/session.ts';
import type { AllowedTools } from './policy/allowed-tools.ts';
import type { Redactor } from './policy/audit-redact.ts';
import type { ToolPolicy } from './policy/policy.ts';
import type { EraMemory } from './server/era-memory.ts';
import type { StartSlots } from './server/start/start-slots.ts';
import type { ToolTrust } from './trust/tools.ts';

export interface McpHostOptions {
  readonly configs: readonly ServerConfig[];
  /** Lines of a server's stderr, its log messages, and the host's own about it. */
  readonly onLog?: (server: string, line: string) => void;
  /** Longer results are cut with a note. Default 60,000 characters. */
  readonly maxResultChars?: number;
  /** JSONL file that records every call. Default: none. */
  readonly auditFile?: string;
  /** Which tools are offered, and which calls the user must approve. Default: all, and none. */
  readonly policy?: ToolPolicy;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** The servers' root, unless their arguments name other folders. Default: the current folder. */
  readonly workingDirectory?: string;
}

/** With what the program keeps between its runs. */
export interface McpHostParts extends McpHostOptions {
  /** Disabled entries; they can be enabled later. */
  readonly disabled?: readonly ServerConfig[];
  /** Entries that could not be read; they are listed as failed servers. */
  readonly failures?: readonly { readonly name: string; readonly error: string }[];
  /** Keeps secrets out of that record. */
  readonly redactor?: Redactor;
  /** Keeps what the user allows for good. Default: until the program exits. */
  readonly allowedTools?: AllowedTools;
  /** Flags tools whose definition has changed since they were approved. Default: no check. */
  readonly toolTrust?: ToolTrust;
  /** Stores the logins of HTTP servers, and guides the user through one. */
  readonly oauth?: OAuthOptions;
  /** Remembers which servers are of the older era. Default: until the program exits. */
  readonly eras?: EraMemory;
  /** How many local servers start at once. Default: as many as there are cores. */
  readonly slots?: StartSlots;
  /** Of the waits for servers. Default: the program's. */
  readonly limits?: Partial<McpLimits>;
}
