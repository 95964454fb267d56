import type { Argv } from 'yargs';
import type { HttpApiArguments } from '../http-api/http-api-options.ts';
import { defineCommand } from '../options/command.ts';
import { modelOptions } from '../options/model-options.ts';
import { list, number, text } from '../options/option-kinds.ts';

/** Clean-up time beyond that of running requests: for the MCP servers and the model. */
const CLOSE_MS = 5000;

/** Answers HTTP until a signal ends the program. */
export const serve = defineCommand({
  usage: 'serve [model]',
  description: 'answer HTTP as OpenAI and Ollama do (docs/serve.md)',
  options: (y, declareModel) =>
    modelOptions(declareModel(y))
      .option('host', text('address to listen on (127.0.0.1); any other needs a key'))
      .option('port', number('8080; 0 = any that is free'))
      .option('api-key', text('asked of every client; @FILE, or LLM_HOST_API_KEY'))
      .option('allow-host', list('further name by which clients may ask (repeatable)'))
      .option('cors-origin', list('origin of pages that may ask, or * (repeatable)'))
      .option('max-queue', number('requests at a time (64); more are answered with 429'))
      .option('request-timeout', number('seconds per request, waiting and tools included (600)'))
      .option('drain-timeout', number('seconds that running requests get at the end (20)'))
      .option('max-body', number("megabytes of a request's body (10)"))
      .option(
        'cache-mb',
        number('megabytes for the caches of conversations (1024)'),
      ) as Argv<HttpApiArguments>,
  run: async (args, { openModel, signals }) => {
    const { startHttpApi } = await import('../http-api/start-http-api.ts');
    const api = await startHttpApi(args, openModel);
    signals.allowCleanup(api.drainMs + CLOSE_MS);
    signals.addCleanup(api.close);
    if (!args.quiet) process.stderr.write([...api.summary, ''].join('\n'));
    for (const notice of api.notices) process.stderr.write(`${notice}\n`);
    process.stdout.write(`Listening on ${api.url}\n`);
    return await new Promise<never>(() => undefined);
  },
});
