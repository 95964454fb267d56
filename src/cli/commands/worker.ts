import { fileURLToPath } from 'node:url';
import { LlmHostError } from '../../errors.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { defineCommand } from '../options/command.ts';
import { text } from '../options/option-kinds.ts';

/** MLX forms one ring in the life of a process, so that each program that uses the worker gets a new one. */
const RANK_PROCESS = fileURLToPath(new URL('../worker/rank-process.js', import.meta.url));

/** Until a signal ends it, or with `--once` the program that uses it. */
export const worker = defineCommand({
  usage: 'worker',
  description: 'compute a part of a model for --hosts',
  rare: true,
  options: y =>
    y
      .option('listen', text('address and port to listen on, reachable from the other machine'))
      .option('secret-file', text('file with the secret shared by both machines; - = first line of stdin'))
      .option('once', {
        type: 'boolean',
        describe: 'exit after the first program that uses it, or at the end of stdin',
      }),
  run: async ({ listen, secretFile, once }, { signals }) => {
    signals.watch();
    if (listen === undefined || secretFile === undefined)
      throw new LlmHostError('USAGE', 'worker needs --listen ADDRESS:PORT and --secret-file FILE');
    const { parseAddress } = await import('../../distributed/link/address.ts');
    const { readSecretFile } = await import('../../distributed/link/secret.ts');
    const { secretFromInput } = await import('../../distributed/link/secret.ts');
    const { runWorker } = await import('../../distributed/worker/run-worker.ts');
    const address = parseAddress(listen, '--listen');
    const input = secretFile === '-' ? await secretFromInput(process.stdin) : undefined;
    const running = await runWorker({
      listen: address,
      secret: input?.secret ?? readSecretFile(secretFile, '--secret-file'),
      rankProcess: RANK_PROCESS,
      once: once === true,
      onNote: note => void process.stderr.write(`${stripControls(note)}\n`),
    });
    signals.addCleanup(running.close);
    process.stdout.write(`Listening on ${listen}\n`);
    if (once) void input?.ended.then(running.close);
    await running.ended;
    return 0;
  },
});
