import { defineCommand } from '../options/command.ts';

export const doctor = defineCommand({
  usage: 'doctor',
  description: 'check what the program needs: Node, engine, memory, cache, Hub, configuration, servers',
  options: y => y.option('json', { type: 'boolean', describe: 'as JSON' }),
  run: async args => {
    const { runDoctor } = await import('../doctor/run-doctor.ts');
    return await runDoctor(args);
  },
});
