import { setTimeout as sleep } from 'node:timers/promises';
import { LlmHostError } from '../../../src/errors.ts';
import type { LoadedModel, OtherModel } from '../../../src/serve/http/served-models.ts';
import { ModelPool, type OtherModels, type PoolOptions } from '../../../src/serve/models/model-pool.ts';

const modelOf = (id: string) => ({ model: { id } }) as unknown as LoadedModel;

/** Models that take memory, of which there is so much. */
export function pool(
  options: PoolOptions = {},
  memory = Number.POSITIVE_INFINITY,
  more: readonly OtherModel[] = [],
  fetch?: OtherModels['fetch'],
) {
  const seen: string[] = [];
  let inMemory = 0;
  let delayMs = 0;
  const faults = new Map<string, Error>();
  const closeFaults = new Map<string, Error>();
  const others: OtherModels = {
    ...(fetch && { fetch }),
    list: () =>
      ['org/a', 'org/b', 'org/c', 'd:7b', 'org/first', ...more].map(one =>
        typeof one === 'string' ? { id: one } : one,
      ),
    open: async (id: string, onFits: () => void) => {
      const fault = faults.get(id);
      if (inMemory >= memory) throw new LlmHostError('OUT_OF_MEMORY', 'needs 5 GB, but 1 GB is available');
      onFits();
      await sleep(delayMs);
      if (fault) throw fault;
      inMemory += 1;
      seen.push(`open ${id}`);
      return {
        ...modelOf(id),
        close: async () => {
          await sleep(1);
          inMemory -= 1;
          seen.push(`close ${id}`);
          const closeFault = closeFaults.get(id);
          if (closeFault) throw closeFault;
        },
      };
    },
  };
  const made = new ModelPool(modelOf('org/first'), others, { maxLoaded: 9, ...options });
  const slow = (ms: number) => {
    delayMs = ms;
  };
  return { pool: made, seen, faults, closeFaults, slow };
}

/** Of those in memory. */
export const idsOf = (models: ModelPool) => models.loaded().map(({ loaded }) => loaded.model.id);
