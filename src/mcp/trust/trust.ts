import type { McpDocument, ServerEntry } from '../config/document.ts';
import type { VariableScope } from '../config/variables.ts';
import { isHarmless, type Launch, launchOf } from './launch.ts';
import type { TrustStore } from './store.ts';

/** A launch that needs the user to allow it. */
export interface LaunchRequest extends Launch {
  /** Allowed before, but different now. */
  readonly changed: boolean;
}

export interface ConsentOptions {
  readonly store: TrustStore;
  readonly scope: (document: McpDocument) => VariableScope;
  /** Allow the servers of every file (`LLM_HOST_TRUST_MCP=1`); nothing is remembered. */
  readonly allowAll: boolean;
  /** Asks once for all launches of a file; undefined if nobody can be asked. */
  readonly confirm?:
    | ((document: McpDocument, launches: readonly LaunchRequest[]) => Promise<boolean>)
    | undefined;
}

/**
 * Asks about the servers of an mcp file found in the working directory, once per exact command line. Servers that are
 * not allowed leave the document and are listed as failures that say why.
 */
export async function withConsent(document: McpDocument, options: ConsentOptions): Promise<McpDocument> {
  if (document.file.origin !== 'project' || options.allowAll) return document;
  const { store, confirm } = options;
  const scope = options.scope(document);
  const allowed = store.get('launches', document.file.path);
  const requestOf = (entry: ServerEntry): LaunchRequest | undefined => {
    if (isHarmless(entry, scope)) return undefined;
    const launch = launchOf(entry, scope);
    const before = allowed.get(entry.name);
    return before === launch.fingerprint ? undefined : { ...launch, changed: before !== undefined };
  };
  // Disabled servers are not asked about, and can be enabled only if they were allowed before.
  const switchedOff = document.switchedOff.filter(entry => requestOf(entry) === undefined);
  const open = document.entries.flatMap(entry => {
    const request = requestOf(entry);
    return request === undefined ? [] : [{ entry, request }];
  });
  if (open.length === 0) return { ...document, switchedOff };
  const requests = open.map(({ request }) => request);
  if (await confirm?.(document, requests)) {
    const fingerprints = requests.map(({ server, fingerprint }) => [server, fingerprint] as const);
    store.set('launches', document.file.path, new Map(fingerprints));
    return { ...document, switchedOff };
  }
  const names = new Set(open.map(({ entry }) => entry.name));
  const failures = open.map(({ entry, request }) => ({ name: entry.name, error: refusal(entry, request) }));
  return {
    ...document,
    switchedOff,
    entries: document.entries.filter(entry => !names.has(entry.name)),
    failures: [...document.failures, ...failures],
    warnings: [...document.warnings, howToAllow(document)],
  };
}

function refusal(entry: ServerEntry, { shown, changed }: LaunchRequest): string {
  const why = changed ? 'it has changed since you allowed it' : 'you have not allowed it';
  return `${entry.locate()}: server '${entry.name}' was not started, ${why}: ${shown}`;
}

function howToAllow({ file }: McpDocument): string {
  return (
    `${file.path} came with the working directory. To allow its servers: start llm-host on a terminal and answer ` +
    `yes, or name the file with --mcp, or set LLM_HOST_TRUST_MCP=1`
  );
}
