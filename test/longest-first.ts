import { relative } from 'node:path';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * What takes more than half a minute, the longest first. Without results of an earlier run vitest begins with the largest
 * files, and most of these are a few lines: started last, they would keep one core while the others have nothing to do.
 */
export const LONGEST = [
  'test/golden/same-text/same-text.test.ts',
  'test/golden/decoders/families.test.ts',
  'test/mcp/hostile/stdio-attacks.test.ts',
  'test/golden/caches/family-cache.test.ts',
  'test/golden/same-text/same-text-together.test.ts',
  'test/scripts/release/pack-cross-built.test.ts',
  'test/e2e/docs/documented-use.test.ts',
  'test/e2e/distributed/machine-faults.test.ts',
];

/** Starts the longest files first, the others in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inOrder(await super.sort(files), ({ moduleId }) => relative(this.ctx.config.root, moduleId));
  }
}

/** `files` with those of `LONGEST` before the others. */
export function inOrder<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rank = (file: File) => {
    const index = LONGEST.indexOf(pathOf(file));
    return index < 0 ? LONGEST.length : index;
  };
  return [...files].sort((a, b) => rank(a) - rank(b));
}
