import type { Argv } from 'yargs';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { list, number, revision, text } from './option-kinds.ts';
import { samplingOptions } from './sampling-options.ts';

/** How the weights are loaded: the same for a chat, `serve` and `bench`. */
export function weightOptions<T>(y: Argv<T>) {
  return y
    .option('kv-bits', {
      choices: [4, 8] as const,
      requiresArg: true,
      describe: 'quantize the KV cache: less memory per token',
    })
    .option('adapter', list('folder of a LoRA adapter (repeatable)'))
    .option('quantize', { ...text('quantize while loading: bits, or a mode'), choices: QUANTIZE_CHOICES });
}

/** Options of every command that runs a model. */
export function modelOptions(y: Argv): Argv {
  const named = y
    .option('model', { ...text('also as -m or --model'), alias: 'm' })
    .option('revision', revision)
    .option('backend', {
      choices: ['mlx', 'ollama'] as const,
      requiresArg: true,
      describe: 'what runs the model; ollama:NAME is the same as --backend ollama NAME',
    })
    .option('ollama-base-url', text('address of Ollama (http://localhost:11434)'))
    .option('config', list('config file, or an mcp file (repeatable)'))
    .option('mcp', {
      ...list('mcp file (repeatable); --no-mcp: no servers'),
      // yargs gives [false] for a negated list.
      coerce: (given: (string | boolean)[] | undefined) => (given?.includes(false) ? false : given),
    })
    .option('system', text('system prompt, or @FILE'));
  const loaded = samplingOptions(named).option('context', number('tokens of context')).option('think', {
    type: 'boolean',
    describe: 'think before answering; --no-think: do not (default: up to the model)',
  });
  return weightOptions(loaded)
    .option('repetition-guard', {
      type: 'boolean',
      describe: '--no-repetition-guard: let a reply that repeats itself go on',
    })
    .option('draft-model', text('smaller model with the same tokens, which proposes what comes next'))
    .option('hosts', text('share the model with the machines in this file (docs/distributed.md)'))
    .option('disk-cache-mb', number('megabytes on disk for system prompts that were read (4096); 0: none'))
    .option('save-quantized', text('with --quantize: a new folder for the result'))
    .option('tool-timeout', number('seconds per tool call (90)'))
    .option('tools', list('offer only these tools; * and ? are wildcards (repeatable)'))
    .option('log-level', {
      choices: ['debug', 'info', 'warn', 'error', 'silent'] as const,
      requiresArg: true,
      describe: 'of the log file',
    })
    .option('log-file', text('default: llm-host.log in the state folder'))
    .option('debug', { type: 'boolean', describe: 'the same as --log-level debug' })
    .option('quiet', { type: 'boolean', describe: 'no start-up lines' });
}
