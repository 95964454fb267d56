// Checks the published package.json with publint, as npm and bundlers will read it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { buildDist } from '../build/typescript.mjs';
import { listFiles } from '../lib/fingerprint.mjs';
import { root } from '../lib/project.mjs';
import { runMain } from '../lib/setup-error.mjs';
import { publishedManifest } from '../release/pack.mjs';

/** As in npm's tarball. */
const DIR = 'package';

/** The published files that exist before packing, which makes the manual page. */
function filesOf(manifest) {
  const paths = manifest.files
    .filter(name => existsSync(join(root, name)))
    .flatMap(name => (statSync(join(root, name)).isDirectory() ? listFiles(name) : [name]));
  return paths.map(name => ({ name: `${DIR}/${name}`, data: readFileSync(join(root, name)) }));
}

await runMain(async () => {
  await buildDist();
  const manifest = publishedManifest();
  const own = { name: `${DIR}/package.json`, data: Buffer.from(JSON.stringify(manifest)) };
  const files = [...filesOf(manifest), own];
  const { messages } = await publint({ pkgDir: DIR, pack: { files }, strict: true });
  for (const message of messages) console.error(`${message.type}: ${formatMessage(message, manifest)}`);
  if (messages.length > 0) process.exitCode = 1;
});
