import { createReadStream, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../lib/project.mjs';
import { findPython } from '../../lib/python.mjs';
import { runCommand } from '../../lib/run-command.mjs';
import { reportMlxSymbols } from './mlx-symbols.mjs';

const ADDON_NAME = '@rpath/llm_host.node';
const ADDON_RPATH = '@loader_path/../../vendor/mlx/lib';
const ADDON_MINIMUM = '14.0';
/** The addon imports from it, but names only libmlx: that must bring it. */
const OBJC = '/usr/lib/libobjc.A.dylib';
/** Part of the name of every Metal kernel for neural accelerators. */
const NAX = 'nax';

/**
 * Checks, as far as that goes without a Mac, that the addon for macOS loads with each packed build of MLX: processor,
 * own names, run paths, minimum system, signatures, that every library named by `@rpath` is packed, that MLX exports
 * what the addon imports, and that the metallib has the kernels that the build is packed for. Prints what it finds.
 * @param {{ addon: string, builds: typeof import('../../lib/build/mac-builds.mjs').MAC_BUILDS, darwinDir: string, toolDir: string }} places
 *   toolDir: the folder of the Python package `lief`
 * @returns {Promise<string[]>} what is wrong
 */
export async function checkMacho({ addon, builds, darwinDir, toolDir }) {
  const fileOf = (build, name) => join(darwinDir, build.package, 'mlx', 'lib', name);
  const dylibs = build => build.libraries.filter(name => name.endsWith('.dylib'));
  const paths = builds.flatMap(build => dylibs(build).map(name => fileOf(build, name)));
  const files = await describe([addon, ...paths], { toolDir, out: join(darwinDir, 'symbols.json') });

  const faults = addonFaults(files[addon]);
  for (const build of builds) {
    console.log(`${build.package}: MLX for macOS ${build.minimum} and newer`);
    for (const name of dylibs(build)) faults.push(...libraryFaults(files[fileOf(build, name)], name, build));
    const libmlx = files[fileOf(build, 'libmlx.dylib')];
    faults.push(...objcFaults(files[addon], libmlx, build));
    const missing = reportMlxSymbols(files[addon].imports, libmlx.exports, 'libmlx.dylib');
    faults.push(...missing.map(name => `libmlx.dylib of ${build.package} has no ${name}`));
    faults.push(...(await metallibFaults(fileOf(build, 'mlx.metallib'), build)));
  }
  reportStandardLibrary(files[addon], files[fileOf(builds[0], 'libmlx.dylib')]);
  return faults;
}

async function describe(paths, { toolDir, out }) {
  const { command } = await findPython();
  const env = { ...process.env, PYTHONPATH: toolDir };
  await runCommand(command, [join(root, 'scripts/check/cross/macho_symbols.py'), out, ...paths], { env });
  return JSON.parse(readFileSync(out, 'utf8'));
}

/** @returns {string[]} how a described addon differs from what the packages need */
export function addonFaults(addon) {
  console.log(
    `addon: Mach-O ${addon.cpu} ${addon.type}, macOS ${addon.minimum}, ${addon.libraries.join(', ')}`,
  );
  // The linker takes any undefined symbol for one of Node's: a source that was left out shows only here.
  const own = addon.imports.filter(name => name.includes('8llm_host'));
  const wrong = differences('llm_host.node', addon, {
    cpu: 'ARM64',
    type: 'DYLIB',
    name: ADDON_NAME,
    rpaths: [ADDON_RPATH],
    minimum: ADDON_MINIMUM,
    signed: true,
  });
  return [...wrong, ...own.map(name => `llm_host.node imports ${name}, which is ours`)];
}

/** @returns {string[]} how a described library of MLX differs from what its package promises */
export function libraryFaults(library, name, build) {
  console.log(
    `  ${name}: macOS ${library.minimum}, signed ${library.signed}, ${library.libraries.length} libraries`,
  );
  const wanted = { cpu: 'ARM64', name: `@rpath/${name}`, minimum: build.minimum, signed: true };
  const packed = new Set(build.libraries.map(file => `@rpath/${file}`));
  const absent = library.libraries.filter(path => path.startsWith('@') && !packed.has(path));
  return [
    ...differences(`${name} of ${build.package}`, library, wanted),
    ...absent.map(path => `${name} of ${build.package} loads ${path}, which is not packed`),
  ];
}

/** @returns {string[]} if a build of MLX does not bring what the addon imports from Objective-C */
export function objcFaults(addon, libmlx, build) {
  const wanted = addon.imports.filter(name => name.startsWith('_objc_'));
  console.log(`  Objective-C symbols imported: ${wanted.join(', ') || 'none'}`);
  if (wanted.length === 0 || libmlx.libraries.includes(OBJC)) return [];
  return [`libmlx.dylib of ${build.package} does not load ${OBJC}, which has ${wanted.join(', ')}`];
}

function differences(file, actual, wanted) {
  return Object.entries(wanted)
    .filter(([key, value]) => JSON.stringify(actual[key]) !== JSON.stringify(value))
    .map(([key, value]) => `${file}: ${key} is ${JSON.stringify(actual[key])}, not ${JSON.stringify(value)}`);
}

async function metallibFaults(path, build) {
  const count = await occurrences(path, NAX);
  console.log(`  mlx.metallib: ${count} times "${NAX}"`);
  const has = count >= 1000; // An older system's library mentions it in a file name or two.
  if (has === build.neuralAccelerators) return [];
  return [`${basename(path)} of ${build.package} has ${has ? '' : 'no '}kernels for neural accelerators`];
}

/** How often `text`, of ASCII letters, occurs in a file of any size. */
export async function occurrences(path, text) {
  let count = 0;
  let tail = '';
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const piece = tail + chunk;
    count += piece.split(text).length - 1;
    tail = piece.slice(-(text.length - 1));
  }
  return count;
}

function reportStandardLibrary(ours, mlx) {
  const standard = ours.imports.filter(name => /^__Z(NK?|T[ISV]N?)?St/.test(name));
  const known = new Set(mlx.imports);
  // libmlx shows what macOS 14 has. The rest needs a person's judgement: the cross compiler's newer headers may need
  // more than Apple's own would.
  console.log(`libc++ symbols imported: ${standard.length}; those that libmlx does not import too:`);
  for (const name of standard.filter(name => !known.has(name))) console.log(`  ${name}`);
}
