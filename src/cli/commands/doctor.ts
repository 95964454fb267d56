import { defineCommand } from '../options/command.ts';

export const doctor = defineCommand({
  usage: 'doctor',
  description: 'check installation and configuration',
  options: y => y.option('json', { type: 'boolean', describe: 'as JSON' }),
  run: async args => {
    const { runDoctor } = await import('../doctor/run-doctor.ts');
    return await runDoctor(args);
  },
});
