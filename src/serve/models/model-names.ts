import { parseHubId } from '../../hub/hub-id.ts';
import type { OtherModel } from '../http/served-models.ts';

/** The first model and the others, by all the names that a model has. */
export class ModelNames {
  readonly #first: OtherModel;
  readonly #others: () => readonly OtherModel[];

  constructor(first: OtherModel, others: () => readonly OtherModel[]) {
    this.#first = first;
    this.#others = others;
  }

  /** The models that are not the first one under another name. */
  list(): readonly OtherModel[] {
    return this.#others().filter(other => !isSameModel(other, this.#first));
  }

  /** The id that a client means; undefined: there is none. */
  idOf(name: string): string | undefined {
    if (matchesModel(this.#first.id, name)) return this.#first.id;
    const others = this.list();
    const found =
      others.find(({ id }) => id === name) ??
      others.find(({ id }) => matchesModel(id, name)) ??
      [this.#first, ...others].find(one => matchesPlace(one, name));
    return found?.id;
  }

  /** The folder that is deleted with a model: all revisions of a repository share it. */
  filesOf(id: string): string {
    const model = [this.#first, ...this.#others()].find(one => one.id === id);
    return model?.hub?.repo ?? model?.repo ?? id;
  }
}

/** Whether two names stand for the same files. */
export function isSameModel(a: OtherModel, b: OtherModel): boolean {
  return a.id === b.id || (a.hub !== undefined && isSamePlace(a.hub, b.hub));
}

/** Whether a client means the model: its id or the last part of it, optionally with `:latest`. */
function matchesModel(id: string, asked: string): boolean {
  const name = asked.replace(/:latest$/, '');
  return name === id || name === id.split('/').at(-1);
}

/** Whether a client means it by another name that the Hub's model has: an alias, the repository or its last part. */
function matchesPlace({ hub }: OtherModel, asked: string): boolean {
  if (!hub) return false;
  const name = asked.replace(/:latest$/, '');
  const place = parseHubId(name);
  if (place) return isSamePlace(hub, place);
  return hub.revision === 'main' && matchesModel(hub.repo, name);
}

function isSamePlace(a: NonNullable<OtherModel['hub']>, b: OtherModel['hub']): boolean {
  return a.repo === b?.repo && a.revision === b.revision;
}
