import { parseHubId } from '../../hub/hub-id.ts';
import type { OtherModel } from './served-models.ts';

/** Whether two names stand for the same files. */
export function isSameModel(a: OtherModel, b: OtherModel): boolean {
  return a.id === b.id || (a.hub !== undefined && isSamePlace(a.hub, b.hub));
}

/** Whether a client means the model: its id or the last part of it, optionally with `:latest`. */
export function matchesModel(id: string, asked: string): boolean {
  const name = asked.replace(/:latest$/, '');
  return name === id || name === id.split('/').at(-1);
}

/** Whether a client means it by another name that the Hub's model has: an alias, the repository or its last part. */
export function matchesPlace({ hub }: OtherModel, asked: string): boolean {
  if (!hub) return false;
  const name = asked.replace(/:latest$/, '');
  const place = parseHubId(name);
  if (place) return isSamePlace(hub, place);
  return hub.revision === 'main' && matchesModel(hub.repo, name);
}

function isSamePlace(a: NonNullable<OtherModel['hub']>, b: OtherModel['hub']): boolean {
  return a.repo === b?.repo && a.revision === b.revision;
}
