import { type ReadModel, type ReadModelOptions, readModel } from '../../src/model/load-model.ts';
import { localSource } from '../../src/model/model-source.ts';

/** A model by its name. */
export function readNamed(name: string, options: ReadModelOptions): ReadModel {
  return readModel(localSource(name, options), options);
}
