import { createInterface } from 'node:readline';
import { measureRun } from '../../bench/measure-run.ts';
import type { RunLine, RunSpec } from '../../bench/run-protocol.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { VERSION } from '../process/app.ts';

// The process `llm-host bench` starts for one run of this program; see run-protocol.ts.
const lines = createInterface({ input: process.stdin });
lines.on('close', () => process.exit(1));
lines.once('line', async line => {
  try {
    const result = await measureRun(JSON.parse(line) as RunSpec, VERSION, () => say({ type: 'first' }));
    say({ type: 'result', ...result });
  } catch (error) {
    const { code = 'UNEXPECTED', hint } = error instanceof LlmHostError ? error : {};
    say({ type: 'error', code, message: messageOf(error), ...(hint !== undefined && { hint }) });
  }
});

function say(line: RunLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
