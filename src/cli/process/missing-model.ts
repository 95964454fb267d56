import { LlmHostError } from '../../errors.ts';

/** Nothing names a model. */
export class MissingModel extends LlmHostError {
  /** Whether the usage line helps: with `-p` the error stands alone. */
  readonly showsUsage: boolean;

  /** `configPaths`: the config files that could have named one. */
  constructor(prompt: string | undefined, configPaths: readonly string[] = []) {
    const given = prompt === undefined ? [] : ['Name one: llm-host <model> -p "text"'];
    const read = configPaths.length === 0 ? [] : [`Nor does ${configPaths.join(', ')} name one.`];
    const hint = [...given, ...read].join('\n');
    super('USAGE', 'missing model', hint === '' ? {} : { hint });
    this.showsUsage = prompt === undefined;
  }
}
