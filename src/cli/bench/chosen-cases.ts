import { isMeasured } from '../../bench/tools/answer.ts';
import { chooseCases } from '../../bench/tools/cases/choose-cases.ts';
import type { ToolCase } from '../../bench/tools/cases/tool-case.ts';
import { LlmHostError } from '../../errors.ts';
import type { ToolsOptions } from './tools-arguments.ts';
import type { Benchmark } from './tools-benchmark.ts';

/** The questions to ask. @throws LlmHostError USAGE or ENGINE_UNAVAILABLE if there are none */
export function chosenCases(
  { cases, leftOut: [left] }: Pick<Benchmark, 'cases' | 'leftOut'>,
  options: ToolsOptions,
): ToolCase[] {
  const measured = cases.filter(one => options.modes.some(mode => isMeasured(mode, one)));
  const chosen = chooseCases(measured, options);
  if (chosen.length > 0) return chosen;
  if (cases.length === 0 && left)
    throw new LlmHostError('ENGINE_UNAVAILABLE', `No question of ${left.category} can be asked: ${left.why}`);
  if (measured.length === 0)
    throw new LlmHostError('USAGE', `--mode ${options.modes} has no questions here`, {
      hint: 'Conversations are measured with repair and held to schemas.',
    });
  throw new LlmHostError('USAGE', `--half ${options.half} has no questions here`);
}
