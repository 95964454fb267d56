import { execFileSync } from 'node:child_process';

/**
 * Reads the symbols that an ELF library imports and exports, and the libraries it loads, with a cross compiler's binutils.
 * @param {string} triple that their names begin with
 * @param {string} file
 */
export function readElf(triple, file) {
  const header = run(`${triple}-readelf`, ['-hdW', file]);
  const names = run(`${triple}-nm`, ['-D', file]);
  const symbols = [...names.matchAll(/^\S* +(\S) (\S+)$/gm)].map(([, kind, name]) => ({
    undefined: kind === 'U' || kind === 'w',
    name: name.replace(/@.*/, ''),
    version: name.match(/@([A-Z]+)_([\d.]+)$/)?.slice(1),
  }));
  return {
    machine: header.match(/Machine: +(\S+)/)?.[1],
    libraries: [...header.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name),
    path: header.match(/\((?:RUNPATH|RPATH)\).*\[(.*)\]/)?.[1],
    imports: symbols.filter(symbol => symbol.undefined).map(symbol => symbol.name),
    exports: symbols.filter(symbol => !symbol.undefined).map(symbol => symbol.name),
    versions: newest(symbols.filter(symbol => symbol.undefined && symbol.version)),
  };
}

const run = (command, args) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

/** The newest version of each library's symbols that are imported, as in `{ GLIBC: '2.35' }`. */
function newest(symbols) {
  const versions = {};
  for (const { version } of symbols) {
    const [name, number] = version;
    if (!versions[name] || isNewer(number, versions[name])) versions[name] = number;
  }
  return versions;
}

function isNewer(a, b) {
  const [left, right] = [a, b].map(version => version.split('.').map(Number));
  const at = left.findIndex((part, i) => part !== (right[i] ?? 0));
  return at >= 0 && left[at] > (right[at] ?? 0);
}

/**
 * Prints the versions of the C and C++ libraries' symbols that an addon needs, next to those that `library` itself needs:
 * wherever that loads, the addon does too.
 * @returns {string[]} the names of those that are newer
 */
export function reportVersions(addon, other, library) {
  const newer = Object.keys(addon.versions).filter(
    name => !other.versions[name] || isNewer(addon.versions[name], other.versions[name]),
  );
  const shown = Object.entries(addon.versions).map(
    ([name, version]) => `${name}_${version} (${library}: ${other.versions[name] ?? 'none'})`,
  );
  console.log(`needs ${shown.join(', ')}; newer than ${library}'s: ${newer.length}`);
  return newer;
}
