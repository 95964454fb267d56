import type { McpDocument } from '../mcp/config/document.ts';
import type { InputDefinition } from '../mcp/config/inputs.ts';
import type { LaunchRequest } from '../mcp/trust/trust.ts';

/** What starting the servers may ask the user. */
export interface Questions {
  /** May these commands of a project's mcp file run? */
  readonly confirm: (document: McpDocument, launches: readonly LaunchRequest[]) => Promise<boolean>;
  /** The value of an input; undefined: none was given. */
  readonly value: (input: InputDefinition) => Promise<string | undefined>;
}
