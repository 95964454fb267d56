import { findAlias } from './aliases.ts';

/** A model on the Hub, at a revision. */
export interface HubId {
  /** `org/name` */
  readonly repo: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
  /** As the user wrote it. */
  readonly source: string;
}

const PATTERN = /^(?<repo>[\w-][\w.-]*\/[\w-][\w.-]*)(?:@(?<revision>[\w-][\w./-]*))?$/;
/** Longer names do not fit into file names. */
const MAX_LENGTH = 200;

/** `org/name` or an alias of one, optionally `@revision` (default `main`); undefined for anything else. */
export function parseHubId(source: string): HubId | undefined {
  const [name = '', ...rest] = source.split('@');
  const alias = findAlias(name);
  const id = parseOwnId(alias === undefined ? source : [alias.repo, ...rest].join('@'));
  return id && { ...id, source };
}

function parseOwnId(source: string): HubId | undefined {
  const groups =
    source.length > MAX_LENGTH || source.includes('..') ? undefined : PATTERN.exec(source)?.groups;
  if (groups?.repo === undefined) return undefined;
  return { repo: groups.repo, revision: groups.revision ?? 'main', source };
}

/** Whether the revision is a full commit hash, whose meaning never changes. */
export const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);
