import { expect, test } from 'vitest';
import { oddWords } from '../../../scripts/check/words.mjs';
import { tempFolder } from '../../model/temp-folder.ts';

test('comments without a subject, and odd phrases in comments and docs, by their place', () => {
  const root = tempFolder({
    'native/a.cc': '// Of a download.\nint what;\n',
    'src/a.ts':
      "/** The same for files. */\nconst text = 'What is it?';\n/**\n * Progress.\n * What it is.\n */\n",
    'web/a.tsx': '// The sameness of it goes on with the next.\n',
    'scripts/a.mjs': '// Whatever it is.\n',
    'docs/a.md': 'What it is.\nMemory, foretold.\n',
  });
  expect(oddWords(root)).toEqual([
    'native/a.cc:1: Of a download.',
    'src/a.ts:1: The same for files. */',
    'src/a.ts:5: What it is.',
    'web/a.tsx:1: The sameness of it goes on with the next.',
    'docs/a.md:2: Memory, foretold.',
  ]);
});
