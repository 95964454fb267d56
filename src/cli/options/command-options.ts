import type { Argv } from 'yargs';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { samplingOptions } from './sampling-options.ts';

export const REVISION = {
  type: 'string',
  requiresArg: true,
  describe: 'branch, tag or commit, for a model of the Hub (main)',
} as const;

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const number = (describe: string) => ({ type: 'number', requiresArg: true, describe }) as const;
const files = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, nargs: 1, describe }) as const;

/** Options of every command that runs a model. */
export function modelOptions(y: Argv): Argv {
  const named = y
    .option('model', { ...text('also as -m or --model'), alias: 'm' })
    .option('revision', REVISION)
    .option('backend', {
      choices: ['mlx', 'ollama'] as const,
      requiresArg: true,
      describe: 'what runs the model; ollama:NAME is the same as --backend ollama NAME',
    })
    .option('ollama-base-url', text('address of Ollama (http://localhost:11434)'))
    .option('config', files('config file, or an mcp file (repeatable)'))
    .option('mcp', {
      ...files('mcp file (repeatable); --no-mcp: no servers'),
      // yargs gives [false] for the negated form of a list.
      coerce: (given: (string | boolean)[] | undefined) => (given?.includes(false) ? false : given),
    })
    .option('system', text('system prompt, or @FILE'));
  return samplingOptions(named)
    .option('context', number('tokens of context'))
    .option('think', {
      type: 'boolean',
      describe: 'think before answering; --no-think: do not (default: as the model does)',
    })
    .option('kv-bits', {
      choices: [4, 8] as const,
      requiresArg: true,
      describe: 'quantize the KV cache: less memory per token',
    })
    .option('adapter', files('folder of a LoRA adapter (repeatable)'))
    .option('quantize', {
      ...text('quantize while loading: bits, or a mode'),
      choices: QUANTIZE_CHOICES,
    })
    .option('save-quantized', text('with --quantize: a new folder for the result'))
    .option('tool-timeout', number('seconds per tool call (90)'))
    .option('tools', files('offer only these tools; * and ? are wildcards (repeatable)'))
    .option('log-level', {
      choices: ['debug', 'info', 'warn', 'error', 'silent'] as const,
      describe: 'of the log file',
    })
    .option('log-file', text('default: llm-host.log in the state folder'))
    .option('debug', { type: 'boolean', describe: 'the same as --log-level debug' })
    .option('quiet', { type: 'boolean', describe: 'no start-up lines' });
}

/** Options of the chat. */
export function chatOptions(y: Argv): Argv {
  return modelOptions(y)
    .option('prompt', { ...text('answer one prompt and exit; piped stdin is appended'), alias: 'p' })
    .option('schema', text('with -p: a file with the JSON Schema that the answer has to fit'))
    .option('ask', { type: 'boolean', describe: 'ask before each tool call' })
    .option('save', text('keep the conversation in this file'))
    .option('resume', {
      type: 'string',
      describe: 'go on with a saved conversation; without a file: the latest',
    })
    .option('json', { type: 'boolean', describe: 'one JSON event a line on stdout (docs/events.md)' })
    .option('plain', { type: 'boolean', describe: 'line mode on a terminal too' })
    .option('color', { type: 'boolean', describe: '--no-color: no colours' });
}

/** Options of `serve` alone. */
export function serveOptions(y: Argv): Argv {
  return y
    .option('host', text('address to listen on (127.0.0.1); any other needs a key'))
    .option('port', number('8080; 0 = any that is free'))
    .option('api-key', text('asked of every client; @FILE, or LLM_HOST_API_KEY'))
    .option('allow-host', files('further name by which clients may ask (repeatable)'))
    .option('cors-origin', files('origin of pages that may ask, or * (repeatable)'))
    .option('max-queue', number('requests at a time (64); more are answered with 429'))
    .option('request-timeout', number('seconds per request, waiting and tools included (600)'))
    .option('drain-timeout', number('seconds that running requests get at the end (20)'))
    .option('max-body', number("megabytes of a request's body (10)"))
    .option('cache-mb', number('megabytes for the caches of conversations (1024)'));
}
