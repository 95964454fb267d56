import type { OtherModel } from '../http/served-models.ts';
import { isSameModel, matchesModel, matchesPlace } from '../http/served-name.ts';

/** The first model and those beside it, by all the names that a model has. */
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
