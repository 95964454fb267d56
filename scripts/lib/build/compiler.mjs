import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { SetupError } from '../setup-error.mjs';

const MINIMUM = { gcc: 12, clang: 15 };
const NAMES = [
  ...['c++', 'g++', 'clang++'],
  ...[15, 14, 13, 12].map(version => `g++-${version}`),
  ...[21, 20, 19, 18, 17, 16, 15].map(version => `clang++-${version}`),
];

/** @type {{ command: string, version: string } | undefined} */
let found;

/**
 * The first C++20 compiler that is new enough: only $CXX if it is set, otherwise c++, g++, clang++ and their
 * numbered names.
 * @returns {{ command: string, version: string }} version: as in 'g++ 12.2.0'
 */
export function findCompiler() {
  found ??= firstCompiler(process.env.CXX ? [process.env.CXX] : NAMES, {
    missing: `no C++ compiler was found${process.env.CXX ? ` as $CXX (${process.env.CXX})` : ''}`,
    hint: installHint(),
  });
  return found;
}

/**
 * The first of these commands that is a C++20 compiler and new enough.
 * @param {readonly string[]} names
 * @param {{ missing: string, hint: string, minimum?: { gcc: number, clang: number } }} otherwise the message and hint if
 *   there is none; the oldest versions, default: those that make the addon
 * @returns {{ command: string, version: string }}
 */
export function firstCompiler(names, { missing, hint, minimum = MINIMUM }) {
  const tooOld = [];
  for (const command of names) {
    const compiler = identify(command);
    if (compiler && compiler.major >= minimum[compiler.kind]) {
      return { command, version: compiler.version };
    }
    if (compiler) tooOld.push(`${command} is ${compiler.version}`);
  }
  throw new SetupError(
    tooOld.length > 0
      ? `the C++ compiler is too old: ${tooOld.join(', ')}; g++ ${minimum.gcc} or clang ${minimum.clang} is needed`
      : missing,
    { hint },
  );
}

/**
 * The current state of a GNU toolchain: compiler, assembler, linker, C and C++ library, with sizes and times. An upgraded
 * package keeps its file names and usually the version.
 * @param {string} command
 */
export function toolchainOf(command) {
  const programs = ['cc1plus', 'as', 'ld'].map(name => `-print-prog-name=${name}`);
  const libraries = ['libc.so.6', 'libstdc++.so'].map(name => `-print-file-name=${name}`);
  return [...programs, ...libraries].map(option => {
    const path = execFileSync(command, [option], { encoding: 'utf8' }).trim();
    const file = statSync(path, { throwIfNoEntry: false });
    return [path, file?.size, file?.mtimeMs];
  });
}

function identify(command) {
  let text;
  try {
    text = execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined; // Not there, or a stub that only says how to install one: the next name is tried.
  }
  const clang = text.match(/clang version (\d+)[\d.]*/);
  if (clang) return { kind: 'clang', major: Number(clang[1]), version: clang[0].replace(' version', '') };
  const gcc = text.match(/^\S*(?:g\+\+|c\+\+|gcc)\S* .*?(\d+)\.\d+\.\d+/);
  if (gcc) return { kind: 'gcc', major: Number(gcc[1]), version: `g++ ${gcc[0].match(/\d+\.\d+\.\d+$/)[0]}` };
  return undefined;
}

function installHint() {
  if (process.platform === 'darwin') return 'Install it with: xcode-select --install';
  return [
    'Install one with: sudo apt-get install g++ (Debian 12, Ubuntu 24.04), sudo apt-get install g++-12',
    '(Ubuntu 22.04) or sudo dnf install gcc-c++ (Fedora); or name one in $CXX.',
  ].join('\n');
}
