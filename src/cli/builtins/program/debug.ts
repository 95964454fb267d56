import { type Builtin, print } from '../base/builtin.ts';

export const debug: Builtin = {
  name: 'debug',
  help: 'writes more into the log file, or less again',
  plain: ['debug'],
  run: ({ log }) => {
    const on = log.logger.level !== 'debug';
    log.logger.level = on ? 'debug' : 'info';
    return print(`Debug messages are ${on ? 'written to' : 'no longer written to'} ${log.path}`);
  },
};
