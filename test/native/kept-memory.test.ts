import { expect, test } from 'vitest';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { demoFiles } from '../../src/model/demo-model.ts';

test.skipIf(process.platform !== 'linux')(
  'a second prompt takes its results from memory that the first one used (glibc)',
  { timeout: 120_000 },
  async () => {
    // Of the demo, which is packed while it is read: no large block is freed before the first prompt.
    const engine = await loadEngine(demoFiles(process.env).weights, { contextLength: 512 });
    const faults = [];
    try {
      for (const salt of [1, 2, 3]) {
        const before = process.resourceUsage().minorPageFault;
        const promptIds = Array.from({ length: 384 }, (_, i) => 100 + i * salt);
        for await (const _ of engine.generate({ promptIds, maxTokens: 1, ignoreEos: true }));
        faults.push(process.resourceUsage().minorPageFault - before);
      }
    } finally {
      await engine.close();
    }
    // Pages of 4 kB: 24 MB would be 6,000.
    expect(Math.min(...faults.slice(1))).toBeLessThan(2000);
  },
);
