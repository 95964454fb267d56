import { createHash } from 'node:crypto';
import { visible } from '../../text/clean/visible.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { ServerConfig } from '../config/types.ts';
import type { ServerTool } from '../server/wire-schemas.ts';
import type { TrustStore } from './store.ts';

const PARTS = ['description', 'parameters', 'annotations'] as const;
const MAX_NAMED = 5;

/**
 * Remembers the definition of each tool as first used, and warns once if it changes: a server could show a harmless
 * tool until it is trusted. The new definition is then the known one. A server with another command line or URL is
 * another server.
 */
export class ToolTrust {
  readonly #store: TrustStore;

  constructor(store: TrustStore) {
    this.#store = store;
  }

  /** Warnings about tools that changed since they were last seen. Never throws. */
  review(config: ServerConfig, tools: readonly ServerTool[]): string[] {
    const key = `${config.name} ${identity(config)}`;
    const known = this.#store.get('tools', key);
    const now = new Map(tools.map(tool => [tool.name, fingerprint(tool)]));
    const changed = [...now].flatMap(([name, print]) => {
      const before = known.get(name);
      return before === undefined || before === print ? [] : [{ name, parts: difference(before, print) }];
    });
    const isNew = [...now.keys()].some(name => !known.has(name));
    if (isNew || changed.length > 0) this.#store.set('tools', key, now);
    return sentences(config.name, changed);
  }
}

function sentences(server: string, changed: readonly { name: string; parts: string }[]): string[] {
  const shown = changed.slice(0, MAX_NAMED).map(({ name, parts }) => {
    const tool = `Tool '${visible(name).slice(0, 80)}' of server '${server}'`;
    return `${tool} has changed since you first used it: its ${parts}. Read it again before you rely on it.`;
  });
  const rest = changed.length - shown.length;
  return rest > 0 ? [...shown, `${rest} more tools of server '${server}' have changed.`] : shown;
}

function difference(before: string, now: string): string {
  const [old, current] = [before.split('.'), now.split('.')];
  const parts = PARTS.filter((_, index) => old[index] !== current[index]);
  return parts.join(' and its ') || 'definition';
}

/** A digest of the whole definition. */
export function fingerprint({
  description,
  inputSchema,
  outputSchema,
  annotations,
  title,
}: ServerTool): string {
  const parts = [[description, title], [inputSchema, outputSchema], annotations];
  return parts.map(part => hash(canonical(part, 0))).join('.');
}

/** A digest of the command line or URL. */
export function identity(config: ServerConfig): string {
  const { transport } = config;
  return hash(transport === 'stdio' ? [config.command, config.args] : [transport, config.url]);
}

function hash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 32);
}

const MAX_DEPTH = 64;

/** Orders the keys of a value, so that equal values have equal texts. */
function canonical(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return '...';
  if (Array.isArray(value)) return value.map(item => canonical(item, depth + 1));
  if (!isPlainObject(value)) return value ?? null;
  const keys = Object.keys(value).filter(key => value[key] !== undefined);
  return keys.sort().map(key => [key, canonical(value[key], depth + 1)]);
}
