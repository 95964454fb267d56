/**
 * How many edges of some sources were reached, from what libFuzzer prints with -print_coverage=1, as '120/200 (60 %)'.
 * @param {string} output
 * @param {RegExp} files
 * @returns {string}
 */
export function coverageOf(output, files) {
  let [reached, edges] = [0, 0];
  for (const [, covered, total, file] of output.matchAll(
    /^(?:UN)?COVERED_FUNC: hits: \d+ edges: (\d+)\/(\d+) .* (\S+):\d+$/gm,
  )) {
    if (!files.test(file)) continue;
    reached += Number(covered);
    edges += Number(total);
  }
  return edges > 0 ? `${reached}/${edges} (${Math.round((100 * reached) / edges)} %)` : 'unknown';
}
