import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/table.ts';
import type { CommandContext } from '../../../src/cli/options/command.ts';
import { commandLine } from '../../../src/cli/options/command-line.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const MODEL = join(import.meta.dirname, '..', '..', 'fixtures', 'models', 'tiny-f32');
const QUESTIONS = join(import.meta.dirname, '..', '..', 'fixtures', 'tool-questions');
const SMALL = ['--prompt-tokens', '8,16', '--generate', '4', '--threads', '1'];
const openModel = () => Promise.reject(new Error('the model was loaded'));

afterEach(() => vi.unstubAllEnvs());

async function refused(args: readonly string[], exitCode: number, message: string): Promise<void> {
  const folder = tempFolder();
  vi.stubEnv('LLM_HOST_BENCH_PEERS', folder);
  vi.stubEnv('XDG_CACHE_HOME', folder);
  const signals = { watch: () => undefined, addCleanup: () => undefined };
  const context = { openModel, signals } as unknown as CommandContext;
  const error = await commandLine(['bench', MODEL, ...args], COMMANDS, context).catch(reason => reason);
  expect([error.exitCode, `${error.message}\n${error.hint}`]).toEqual([
    exitCode,
    expect.stringContaining(message),
  ]);
}

test.each([
  [['--clients', '0'], 2, '--clients must be an integer from 1'],
  [['--clients', '1'], 2, '--clients measures one --prompt-tokens at a time'],
  [['--clients', '1', '--prompt-tokens', '8', '--graph'], 2, '--clients cannot be combined with --graph'],
  [['--runs', '0'], 2, '--runs must be an integer from 1 to 1000000, got 0'],
  [['--prompt-tokens', '8,x'], 2, "--prompt-tokens must be an integer from 1 to 1000000, got 'x'"],
  [['--html', 'a', '--html', 'b'], 2, '--html was given twice'],
  [['--compare', 'ollama'], 2, "--compare takes mlx-lm and llama.cpp, not 'ollama'"],
  [['--prompt-tokens', '900000'], 2, 'context'],
  [['--compare', 'mlx-lm'], 69, 'peers'],
])('a measurement with %j is refused before any work', (args, exitCode, message) =>
  refused([...SMALL, ...args], exitCode, message),
);

test.each([
  [['--all'], 2, '--all needs --tools'],
  [['--tools', QUESTIONS, '--runs', '2'], 2, '--tools cannot be combined with --runs'],
  [['--tools', QUESTIONS, '--categories', 'calender'], 2, "no 'calender'; did you mean 'calendar'?"],
  [['--tools', QUESTIONS, '--mode', 'strict'], 2, "--mode has no 'strict'"],
  [['--tools', 'nowhere'], 78, 'docs/tool-benchmark.md'],
  [['--tools'], 2, '--tools needs a value'],
])('questions with %j are refused before the model is loaded', refused);
