// Machines that are all this one, over the loopback: their hosts file, and their workers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { distDir } from '../../lib/project.mjs';

export const MAIN = join(distDir, 'cli', 'main.js');
const FIRST_PORT = 9400;

/** -> the hosts; `hosts.json` and the secret are in `folder` */
export function writeHosts(folder, machines) {
  const hosts = Array.from({ length: machines }, (_, index) => ({
    name: `m${index}`,
    address: `127.0.0.1:${FIRST_PORT + 2 * index}`,
    memoryGB: 1000,
    bandwidthGBs: 20,
    ...(index > 0 && { controlPort: FIRST_PORT + 2 * index + 1 }),
  }));
  const link = { bandwidthGbits: 10, latencyMicroseconds: 50 };
  writeFileSync(join(folder, 'hosts.json'), JSON.stringify({ hosts, link, secretFile: 'secret' }));
  writeFileSync(join(folder, 'secret'), 'a secret that only these machines know', { mode: 0o600 });
  return hosts;
}

/** -> processes that listen */
export async function startWorkers(folder, hosts) {
  const workers = hosts.slice(1).map(({ controlPort }) => {
    const listen = ['--listen', `127.0.0.1:${controlPort}`, '--secret-file', 'secret'];
    return spawn(process.execPath, [MAIN, 'worker', ...listen], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  });
  await Promise.all(workers.map(worker => once(worker.stdout, 'data')));
  return workers;
}
