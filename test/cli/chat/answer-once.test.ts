import { expect, onTestFinished, test, vi } from 'vitest';
import { answerOnce } from '../../../src/cli/chat/answer-once.ts';
import { Signals } from '../../../src/cli/process/signals.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { place } from '../builtins/place.ts';

test('an error does not hide that --save could not be written', async () => {
  const stdin = Object.getOwnPropertyDescriptor(process.stdin, 'isTTY');
  Object.defineProperty(process.stdin, 'isTTY', { value: true, configurable: true });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    stderr.mockRestore();
    Object.defineProperty(process.stdin, 'isTTY', stdin ?? { value: undefined, configurable: true });
  });
  const { session } = place([new LlmHostError('ENGINE', 'it broke')], { saveTo: 'sessions' });
  // A folder stands where the file should.
  session.save(`${session.folder.path}/other.json`);
  await expect(answerOnce(session, 'A', new Signals())).rejects.toMatchObject({
    code: 'ENGINE',
    message: 'it broke',
  });
  expect(stderr.mock.calls.join('')).toMatch(/^Notice: The session cannot be saved to .*it is not a file\n$/);
});
