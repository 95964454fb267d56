import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isNewEnough } from '../../scripts/lib/newer-node.mjs';
import { tempFolder } from '../model/temp-folder.ts';
import { runNode } from '../run-node.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('the oldest Node is the one that package.json names', () => {
  expect(['22.13.0', '22.14.1', '24.0.0'].map(version => isNewEnough(version))).toEqual([true, true, true]);
  expect(['22.12.9', '20.20.2', '8.0.0'].map(version => isNewEnough(version))).toEqual([false, false, false]);
});

/** Runs a script on what says it is Node 20, in a checkout of its own where `npm` is a shell script. */
async function onOldNode(npm: string) {
  const root = tempFolder({});
  for (const path of ['scripts/lib', 'package.json'])
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  writeFileSync(join(root, 'npm'), `#!/bin/sh\n${npm}`);
  chmodSync(join(root, 'npm'), 0o755);
  const script = join(root, 'script.mjs');
  writeFileSync(
    script,
    `Object.defineProperty(process.versions, 'node', { value: '20.0.0' });
     const { runMainUnderNewerNode } = await import('./scripts/lib/newer-node.mjs');
     await runMainUnderNewerNode(async () => console.log('ran here'));`,
  );
  const run = () => runNode([script, 'an argument'], { PATH: `${root}:${process.env.PATH}` });
  return { script, run };
}

test('an older Node fetches a newer one once, and the script runs under that', async () => {
  const { script, run } = await onOldNode(
    `bin="$3/node_modules/$(echo "$7" | sed 's/@.*//')/bin"
     mkdir -p "$bin"
     printf '#!/bin/sh\\necho "newer: $*"\\nexit 7\\n' > "$bin/node"
     chmod +x "$bin/node"`,
  );
  const first = await run();
  expect(first).toMatchObject({ status: 7, stdout: `newer: ${script} an argument\n` });
  expect(first.stderr).toContain('Node 20.0.0 is too old: fetching Node 22.');
  expect(await run()).toMatchObject({ status: 7, stderr: '' });
});

test('where npm cannot get one, it says where to get it', async () => {
  const { run } = await onOldNode('echo "npm: offline" >&2\nexit 1\n');
  const { status, stdout, stderr } = await run();
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('Error: Node 20.0.0 is too old; 22.13 or newer is needed\n  | npm: offline\n');
  expect(stderr).toContain('nodejs.org');
});
