// Runs a program on the same terminal as a shell would, then prints how it ended and what mode the terminal is in.
// Arguments: those of Node.
import { spawnSync } from 'node:child_process';

process.on('SIGINT', () => undefined);
const { status, signal } = spawnSync(process.execPath, process.argv.slice(2), { stdio: 'inherit' });
const modes = spawnSync('stty', ['-a'], { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' }).stdout;
const shown = ['isig', 'icanon', 'echo'].filter(mode => new RegExp(`(^|\\s)${mode}(\\s|;)`).test(modes));
console.log(`ended ${status ?? signal}; modes ${shown.join(' ')}`);
