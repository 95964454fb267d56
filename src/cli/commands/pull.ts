import type { HubId } from '../../hub/hub-id.ts';
import type { PulledModel } from '../../hub/pull-model.ts';
import { requireHubId } from '../options/at-revision.ts';
import { defineCommand } from '../options/command.ts';
import { json, revision } from '../options/option-kinds.ts';
import type { Signals } from '../process/signals.ts';

export const pull = defineCommand({
  usage: 'pull <id>',
  description: 'download a model, or resume a download',
  options: y =>
    y
      .positional('id', { type: 'string', demandOption: true })
      .option('revision', revision)
      .option('json', { ...json, describe: 'the result as JSON' }),
  run: async (args, { signals }) =>
    await download(requireHubId(args.id, args.revision), args.json ?? false, signals),
});

async function download(hubId: HubId, asJson: boolean, signals: Signals): Promise<number> {
  const [{ pullModel }, { DownloadLine }] = await Promise.all([
    import('../../hub/pull-model.ts'),
    import('../../line/progress-line.ts'),
  ]);
  const line = new DownloadLine(process.stderr, hubId.source);
  const abort = new AbortController();
  signals.onInterrupt(() => abort.abort());
  const started = performance.now();
  try {
    const pulled = await pullModel(hubId, {
      env: process.env,
      signal: abort.signal,
      onProgress: progress => line.update(progress),
      onWait: pid => line.waiting(pid),
    });
    line.end();
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(
      asJson ? `${JSON.stringify(pulled)}\n` : `${summary(hubId, pulled, seconds)}\n${pulled.folder}\n`,
    );
    return 0;
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    line.end();
    process.stderr.write(`Interrupted. The same command resumes: llm-host pull ${hubId.source}\n`);
    return 130;
  } finally {
    line.end();
    signals.onInterrupt(undefined);
  }
}

function summary(
  { source }: HubId,
  { totalBytes, receivedBytes, commit }: PulledModel,
  seconds: number,
): string {
  const at = `at ${commit.slice(0, 12)}`;
  if (receivedBytes === 0) return `${source} is complete ${at}`;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const rate = megabytes(receivedBytes / Math.max(seconds, 0.001));
  return `${source}: ${megabytes(receivedBytes)} of ${megabytes(totalBytes)} downloaded in ${seconds.toFixed(1)} s (${rate}/s), complete ${at}`;
}
