import { byteSize } from '../../text/byte-size.ts';
import { requireHubId } from '../options/at-revision.ts';
import { defineCommand } from '../options/command.ts';
import { revision } from '../options/option-kinds.ts';

export const rm = defineCommand({
  usage: 'rm <id>',
  description: 'remove a downloaded model',
  options: y => y.positional('id', { type: 'string', demandOption: true }).option('revision', revision),
  run: async args => {
    const { removeModel } = await import('../../hub/remove-model.ts');
    const id = requireHubId(args.id, args.revision);
    const freed = await removeModel(id, {
      env: process.env,
      revisionOnly: id.source.includes('@'),
      onWait: pid =>
        process.stderr.write(`Waiting for process ${pid ?? 'unknown'}, which downloads it ...\n`),
    });
    process.stdout.write(`Removed ${id.source}: ${byteSize(freed)} freed\n`);
    return 0;
  },
});
