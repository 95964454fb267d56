import type { ModelSource } from '../../model/model-source.ts';
import type { OpenedModel } from '../../run/open-model.ts';
import type { Run } from '../../run/open-model-and-servers.ts';

export interface ModelChangeHooks {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Opens another model for a conversation, and takes it as the run's own. */
export interface ModelSwitch {
  open(name: string, hooks: ModelChangeHooks): Promise<OpenedModel>;
  /** Closes the model before. */
  use(opened: OpenedModel): Promise<void>;
}

/** Shares of the work that are told. */
const STEP_PERCENT = 20;

/**
 * @param sourceOf the source of a name, with the backend of this run
 * @param prepare sets the model up as the user asked; returns notices
 */
export function modelSwitch(
  run: Run,
  sourceOf: (name: string) => ModelSource,
  prepare: (opened: OpenedModel) => readonly string[],
): ModelSwitch {
  return {
    open: async (name, { signal, progress }) => {
      progress(`Opening ${name} ...`);
      const opened = await run.openAnother(sourceOf(name), {
        signal,
        onProgress: () => undefined,
        onDownload: inSteps(
          ({ doneBytes, totalBytes }) => [doneBytes, totalBytes],
          percent => progress(`Downloading ${name}: ${percent} %`),
        ),
        onWait: () => progress(`Waiting for another program that downloads ${name} ...`),
      });
      return { ...opened, notices: [...opened.notices, ...prepare(opened)] };
    },
    use: opened => run.use(opened),
  };
}

/** Tells a share each time it has grown by a step. */
function inSteps<T>(
  read: (value: T) => readonly [number, number],
  tell: (percent: number) => void,
): (value: T) => void {
  let told = 0;
  return value => {
    const [done, total] = read(value);
    const percent = total > 0 ? Math.floor((done / total) * 100) : 0;
    if (percent < told + STEP_PERCENT) return;
    told = percent - (percent % STEP_PERCENT);
    tell(told);
  };
}
