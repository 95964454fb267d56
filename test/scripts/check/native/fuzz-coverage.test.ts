import { expect, it } from 'vitest';
import { coverageOf } from '../../../../scripts/check/native/fuzz-coverage.mjs';

const OUTPUT = `COVERAGE:
COVERED_FUNC: hits: 3 edges: 4/6 llm_host::File::read(void*, unsigned long) /src/native/weights/files/file.cc:40
  UNCOVERED_PC: /src/native/weights/files/file.cc:44:3
UNCOVERED_FUNC: hits: 0 edges: 0/2 llm_host::File::File(std::string) /src/native/weights/files/file.cc:20
COVERED_FUNC: hits: 1 edges: 5/5 main /src/native/other.cc:1
`;

it('sums the edges of the functions in the files that are asked for', () => {
  expect(coverageOf(OUTPUT, /weights\/files\/file\./)).toBe('4/8 (50 %)');
});

it('says so when nothing is known of them', () => {
  expect(coverageOf('Done 10 runs', /file/)).toBe('unknown');
});
