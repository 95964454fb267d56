import { LlmHostError } from '../../errors.ts';
import { type HubId, parseHubId } from '../../hub/hub-id.ts';
import { type PulledModel, pullModel } from '../../hub/pull-model.ts';
import { DownloadLine } from '../../line/download-line.ts';
import { atRevision } from '../options/at-revision.ts';
import type { Signals } from '../process/signals.ts';

export interface PullArguments {
  readonly id: string;
  readonly revision?: string | undefined;
  readonly json?: boolean | undefined;
}

/** `llm-host pull <id>`: downloads a model into the Hub cache, or what it lacks of it. Returns the exit code. */
export async function pull({ id, revision, json }: PullArguments, signals: Signals): Promise<number> {
  const hubId = requireHubId(atRevision(id, revision));
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
      json ? `${JSON.stringify(pulled)}\n` : `${summary(hubId, pulled, seconds)}\n${pulled.folder}\n`,
    );
    return 0;
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    line.end();
    process.stderr.write(
      `Interrupted. The same command goes on where it stopped: llm-host pull ${hubId.source}\n`,
    );
    return 130;
  } finally {
    line.end();
    signals.onInterrupt(undefined);
  }
}

/** Throws LlmHostError USAGE. */
export function requireHubId(source: string): HubId {
  const id = parseHubId(source);
  if (id) return id;
  throw new LlmHostError('USAGE', `'${source}' is no name of a model on the Hub`, {
    hint: 'Such a name is org/name, or org/name@revision.',
  });
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
