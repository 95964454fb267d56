import { stripControls } from '../../text/clean/strip-controls.ts';
import { defineCommand } from '../options/command.ts';
import { declareOptions } from '../options/declare-options.ts';

/** Clean-up time for MCP servers and model, beyond that of running requests. */
const CLOSE_MS = 5000;

/** Answers HTTP until a signal ends the program. */
export const serve = defineCommand({
  usage: 'serve [model] [models..]',
  description: 'serve an HTTP API and a chat page',
  options: (y, declareModel) => declareOptions(declareModel(y), 'serve'),
  run: async (args, { openModel, signals }) => {
    signals.watch();
    const { startHttpApi } = await import('../http-api/start-http-api.ts');
    const api = await startHttpApi(args, openModel);
    signals.allowCleanup(api.drainMs + CLOSE_MS);
    signals.addCleanup(api.close);
    if (!args.quiet) process.stderr.write(stripControls([...api.summary, ''].join('\n')));
    for (const notice of api.notices) process.stderr.write(`${stripControls(notice)}\n`);
    process.stdout.write(`Listening on ${api.url}\n`);
    return await new Promise<never>(() => undefined);
  },
});
