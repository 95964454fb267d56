import type { OpenModel } from '../../run/open-model.ts';
import type { ServeArguments } from '../options/serve-options.ts';
import type { Signals } from '../process/signals.ts';
import { startServe } from './start-serve.ts';

/** Beyond the time for running requests: for the servers and the model. */
const CLOSE_MS = 5000;

/** `llm-host serve <model>`: answers HTTP until a signal comes. Never returns by itself. */
export async function serve(args: ServeArguments, openModel: OpenModel, signals: Signals): Promise<number> {
  const started = await startServe(args, openModel);
  signals.allowCleanup(started.drainMs + CLOSE_MS);
  signals.addCleanup(started.close);
  if (!args.quiet) process.stderr.write([...started.summary, ''].join('\n'));
  for (const notice of started.notices) process.stderr.write(`${notice}\n`);
  process.stdout.write(`Listening on ${started.url}\n`);
  return await new Promise<never>(() => undefined);
}
