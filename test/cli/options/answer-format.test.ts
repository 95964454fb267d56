import { expect, test } from 'vitest';
import { answerFormat } from '../../../src/cli/chat/open-chat.ts';
import { tempFolder } from '../../model/temp-folder.ts';

test.each([
  [{ prompt: 'x', schema: 'none.json' }, /^The schema is not a JSON Schema/],
  [{ prompt: 'x', schema: 'broken.json' }, /broken\.json is not JSON: /],
  [{ prompt: 'x', schema: 'gone.json' }, /gone\.json does not exist/],
  [{ schema: 'fine.json' }, /^--schema needs -p/],
])('%j is refused', (args, message) => {
  const cwd = tempFolder({
    'fine.json': { type: 'object' },
    'none.json': { type: 'nothing' },
    'broken.json': '{',
  });
  expect(() => answerFormat(args, cwd)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }),
  );
});
