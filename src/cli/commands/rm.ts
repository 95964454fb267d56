import { removeModel } from '../../hub/remove-model.ts';
import { atRevision } from '../options/at-revision.ts';
import { bytes } from './list.ts';
import { requireHubId } from './pull.ts';

export interface RmArguments {
  readonly id: string;
  readonly revision?: string | undefined;
}

/** `llm-host rm <id>`: removes a model, or one revision of it, from the Hub cache. Returns the exit code. */
export async function rm({ id, revision }: RmArguments): Promise<number> {
  const source = atRevision(id, revision);
  const freed = await removeModel(requireHubId(source), {
    env: process.env,
    revisionOnly: source.includes('@'),
    onWait: pid => process.stderr.write(`Waiting for process ${pid ?? 'unknown'}, which downloads it ...\n`),
  });
  process.stdout.write(`Removed ${source}: ${bytes(freed)} freed\n`);
  return 0;
}
