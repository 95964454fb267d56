/**
 * Prints how many MLX symbols an addon imports, and which of them the given libmlx does not export.
 * @param {readonly string[]} imports of the addon, mangled
 * @param {readonly string[]} exports of libmlx
 * @param {string} library its file name
 * @returns {string[]} those that are missing
 */
export function reportMlxSymbols(imports, exports, library) {
  const wanted = imports.filter(name => name.includes('mlx4core'));
  const there = new Set(exports);
  const missing = wanted.filter(name => !there.has(name));
  console.log(`mlx::core symbols imported: ${wanted.length}, missing in ${library}: ${missing.length}`);
  for (const name of missing) console.log(`  ${name}`);
  return missing;
}
