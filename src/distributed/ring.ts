import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For all machines to find each other, once each has been told to load: MLX tries at once, and after 1, 3 and 7 s. */
export const JOIN_MS = 7500;

/** For whoever cannot join. */
export const mustReach = (ring: readonly string[]): string =>
  `The machines must reach each other at ${ring.join(', ')}: is another program there, or a firewall?`;

/** Loads a model whose processes meet at these addresses; MLX hears of them by variables and a file. */
export async function inRing<T>(ring: readonly string[], rank: number, load: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-ring-'));
  const file = join(folder, 'ring.json');
  writeFileSync(file, JSON.stringify(ring.map(address => [address])));
  process.env.MLX_HOSTFILE = file;
  process.env.MLX_RANK = String(rank);
  try {
    return await load();
  } finally {
    delete process.env.MLX_HOSTFILE;
    delete process.env.MLX_RANK;
    rmSync(folder, { recursive: true, force: true });
  }
}
