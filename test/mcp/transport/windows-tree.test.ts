import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { endTree, endTreeNow } from '../../../src/mcp/transport/process-groups.ts';

// Windows itself is not at hand: what is tested is what taskkill is asked for.
it.skipIf(process.platform === 'win32')(
  'asks taskkill for the whole tree, and takes its failures as the end',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'llm-host-taskkill-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const taskkill = join(folder, 'taskkill');
    writeFileSync(taskkill, `#!/bin/sh\necho "$@" >> ${folder}/asked\nexit 128\n`);
    chmodSync(taskkill, 0o755);
    await endTree(4711, taskkill);
    endTreeNow(4712, taskkill);
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('/PID 4711 /T /F\n/PID 4712 /T /F\n');
    await endTree(4713, join(folder, 'none'));
  },
);
