import type { Argv } from 'yargs';
import { TOOLS_POLICIES } from '../../serve/http/tools-policy.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { HttpApiArguments } from '../http-api/http-api-options.ts';
import { defineCommand } from '../options/command.ts';
import { modelOptions } from '../options/model-options.ts';
import { list, number, text } from '../options/option-kinds.ts';

/** Clean-up time for MCP servers and model, beyond that of running requests. */
const CLOSE_MS = 5000;

/** Answers HTTP until a signal ends the program. */
export const serve = defineCommand({
  usage: 'serve [model] [models..]',
  description: 'serve an HTTP API compatible with OpenAI, Anthropic and Ollama (docs/serve.md)',
  options: (y, declareModel) =>
    modelOptions(declareModel(y))
      .option('host', text('address to listen on (127.0.0.1); any other needs a key'))
      .option('port', number('8080; 0 = any that is free'))
      .option('api-key', text('required of every client; @FILE, or LLM_HOST_API_KEY'))
      .option('api-keys', text('file of keys with names and limits (docs/serve.md)'))
      .option('allow-host', list('another host name clients may use (repeatable)'))
      .option('cors-origin', list('origin of web pages that may send requests, or * (repeatable)'))
      .option('tools-policy', {
        ...text('tools of mcp.json: auto = for requests without their own'),
        choices: TOOLS_POLICIES,
      })
      .option('page', { type: 'boolean', describe: '--no-page: no chat page for browsers at /' })
      .option(
        'models',
        list('another model that requests may name, also as a word; * for all in the cache (repeatable)'),
      )
      .option('manage-models', {
        type: 'boolean',
        describe:
          "with --models '*': clients may download, copy and delete models (/api/pull, /api/copy, /api/delete)",
      })
      .option('max-models', number('models loaded at once, the first included (3)'))
      .option('max-queue', number('requests at a time (64); more are answered with 429'))
      .option('parallel', number('replies generated at once (8); more wait'))
      .option('max-gap', number("milliseconds that a reply waits at most for others' prompts (100)"))
      .option('request-timeout', number('seconds per request, including waiting and tools (600)'))
      .option('drain-timeout', number('seconds for running requests at shutdown (20)'))
      .option('max-body', number("megabytes of a request's body (10)"))
      .option(
        'cache-mb',
        number('megabytes for the caches of conversations (four times the weights, 256 to 1024)'),
      ) as Argv<HttpApiArguments>,
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
