// Checks the published package.json with publint, as npm and bundlers will read it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { buildPage } from '../build/page.mjs';
import { buildDist } from '../build/typescript.mjs';
import { listFiles } from '../lib/build/fingerprint.mjs';
import { root } from '../lib/project.mjs';
import { runMain } from '../lib/setup-error.mjs';
import { publishedManifest } from '../release/pack.mjs';

/** As in npm's tarball. */
const DIR = 'package';

/** Bytes of a published file; the page's script has under half of it. */
const LARGEST = 1e6;

/** The files of `serve`'s page. */
const PAGE = [/\/dist\/web\/index\.html$/, ...['js', 'css', 'svg', 'txt'].map(pageFile)];

function pageFile(ending) {
  return new RegExp(`/dist/web/page/[\\w-]+\\.${ending}$`);
}

/** The published files that exist before packing, which makes the manual page. */
function filesOf(manifest) {
  const paths = manifest.files
    .filter(name => existsSync(join(root, name)))
    .flatMap(name => (statSync(join(root, name)).isDirectory() ? listFiles(name) : [name]));
  return paths.map(name => ({ name: `${DIR}/${name}`, data: readFileSync(join(root, name)) }));
}

await runMain(async () => {
  await buildDist();
  await buildPage();
  const manifest = publishedManifest();
  const own = { name: `${DIR}/package.json`, data: Buffer.from(JSON.stringify(manifest)) };
  const files = [...filesOf(manifest), own];
  const { messages } = await publint({ pkgDir: DIR, pack: { files }, strict: true });
  const missing = PAGE.filter(path => !files.some(({ name }) => path.test(name)));
  const large = files.filter(({ data }) => data.length > LARGEST);
  for (const message of messages) console.error(`${message.type}: ${formatMessage(message, manifest)}`);
  for (const path of missing) console.error(`the page of serve is not in the package: ${path}`);
  for (const { name, data } of large)
    console.error(`${name} has ${data.length} bytes: weights belong in packages/demo-weights`);
  if (messages.length + missing.length + large.length > 0) process.exitCode = 1;
});
