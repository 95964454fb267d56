import type { Argv } from 'yargs';
import { PEERS } from '../../bench/peers.ts';
import { LlmHostError } from '../../errors.ts';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';

/** The options of `llm-host bench`. */
export function benchOptions<T>(y: Argv<T>) {
  const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
  /** Parts with commas, and options given several times, are one list. */
  const list = (describe: string) =>
    ({ ...text(describe), array: true, nargs: 1, coerce: (given?: string[]) => given?.join() }) as const;
  const number = (describe: string) => ({ type: 'number', requiresArg: true, describe }) as const;
  return y
    .option('prompt-tokens', list('lengths of the prompts, with commas (512): 128,512,4096'))
    .option('generate', { ...number('tokens after each prompt'), default: 128 })
    .option('runs', { ...number('how often, each time as a new process'), default: 5 })
    .option('threads', number("of every engine; default: each engine's own choice"))
    .option('quantize', { ...text('quantize while loading'), choices: QUANTIZE_CHOICES })
    .option('kv-bits', { choices: [4, 8] as const, requiresArg: true, describe: 'quantize the KV cache' })
    .option('adapter', {
      type: 'string',
      array: true,
      requiresArg: true,
      nargs: 1,
      describe: 'folder of a LoRA adapter (repeatable)',
    })
    .option('turns', list('measure a second turn after so many tokens of history, with commas: 100,4000'))
    .option('graph', { type: 'boolean', describe: 'count and time the graph of a decoding step' })
    .option('compare', list(`measure beside: ${PEERS.join(',')}`))
    .option('mlx-lm-model', text('folder with the same weights, for mlx-lm'))
    .option('llama-cpp-model', text('.gguf file with the same weights, for llama.cpp'))
    .option('json', { type: 'boolean', describe: 'the report as JSON' })
    .option('html', text('write the report to this file'))
    .check(args => {
      const twice = ['html', 'mlx-lm-model', 'llama-cpp-model', 'quantize'].find(name =>
        Array.isArray(args[name]),
      );
      if (twice !== undefined) throw new LlmHostError('USAGE', `--${twice} was given twice`);
      return true;
    });
}
