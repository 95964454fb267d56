import { failure, PROTOCOL, type Report, readOrder } from '../../distributed/link/messages.ts';
import { Rank } from '../../distributed/worker/rank.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { VERSION } from '../process/app.ts';

// The process a worker starts for each program that uses it: MLX forms one ring in the life of a process.
const say = (report: Report): void => void process.send?.(report, () => undefined);
// Whatever MLX is waiting for.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl+C in a terminal goes to the worker too, which ends this process.
process.on('SIGINT', () => undefined);

const rank = new Rank(say);
process.on('message', message => {
  try {
    rank.take(readOrder(message));
  } catch (error) {
    say(failure(new LlmHostError('USAGE', messageOf(error))));
  }
});

try {
  const mlx = loadAddon().versions.mlxLoaded;
  say({ type: 'hello', protocol: PROTOCOL, version: VERSION, mlx });
} catch (error) {
  say(failure(error));
}
