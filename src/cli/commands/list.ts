import type { CachedModel } from '../../hub/cached-models.ts';
import { byteSize } from '../../text/byte-size.ts';
import { defineCommand } from '../options/command.ts';
import { json } from '../options/option-kinds.ts';

export const list = defineCommand({
  usage: 'list',
  description: 'list the downloaded models',
  options: y => y.option('json', json),
  run: async args => {
    const { cachedModels } = await import('../../hub/cached-models.ts');
    const { hubCacheFolder } = await import('../../hub/hub-environment.ts');
    const cacheFolder = hubCacheFolder(process.env);
    const models = cachedModels(cacheFolder);
    process.stdout.write(
      args.json ? `${JSON.stringify({ cacheFolder, models }, null, 2)}\n` : table(cacheFolder, models),
    );
    return 0;
  },
});

function table(cacheFolder: string, models: readonly CachedModel[]): string {
  if (models.length === 0) return `No models in ${cacheFolder}\n`;
  const rows = models.map(row);
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(cells => (cells[column] as string).length)));
  const lines = rows.map(([repo = '', size = '', date = '', state = '']) =>
    `${repo.padEnd(widths[0] as number)}  ${size.padStart(widths[1] as number)}  ${date}  ${state}`.trimEnd(),
  );
  const total = models.reduce((sum, model) => sum + model.bytes + model.partialBytes, 0);
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  return `${lines.join('\n')}\n${count}, ${byteSize(total)} in ${cacheFolder}\n`;
}

function row(model: CachedModel): string[] {
  const date = new Date(model.modifiedMs).toISOString().slice(0, 10);
  return [model.repo, byteSize(model.bytes + model.partialBytes), date, state(model)];
}

/** Revisions by name or abbreviated commit, with the missing files of those that cannot be loaded yet. */
function state({ revisions, partialBytes }: CachedModel): string {
  if (revisions.length === 0) return 'nothing complete yet';
  const parts = revisions.map(({ refs, commit, missing }) => {
    const name = refs.length > 0 ? refs.join(', ') : commit.slice(0, 12);
    if (missing.length === 0) return name;
    return `${name} (lacks ${missing[0]}${missing.length > 1 ? ` and ${missing.length - 1} more` : ''})`;
  });
  return `${parts.join('; ')}${partialBytes > 0 ? `; ${byteSize(partialBytes)} partly downloaded` : ''}`;
}
