import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Completion } from '../../../src/tui/input/complete.ts';
import { KeyDecoder } from '../../../src/tui/input/keys.ts';
import { PromptEditor, type PromptEditorOptions } from '../../../src/tui/input/prompt-editor.ts';
import { PromptHistory } from '../../../src/tui/input/prompt-history.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const UP = '\u001b[A';

function open(path: string, find: PromptEditorOptions['find'] = () => undefined) {
  const history = new PromptHistory(path, message => expect.fail(message));
  const editor = new PromptEditor({
    history,
    find,
    onChange: () => undefined,
    candidates: () => ({ commands: [], tools: [], resources: [] }),
  });
  const type = (bytes: string) =>
    new KeyDecoder().push(Buffer.from(bytes)).flatMap(key => editor.key(key, false) ?? []);
  return { editor, type };
}

test('what was pasted names no files when the prompt is sent again, in this run and the next', () => {
  const path = join(tempFolder(), 'history.jsonl');
  const pasted = "import { Foo } from '@/components/Foo';\n".repeat(12);
  const sent = [{ type: 'submit', text: `see ${pasted}`, folded: 'see [Pasted text #1: 12 lines]' }];
  const first = open(path);
  expect(first.type(`see \u001b[200~${pasted}\u001b[201~\r`)).toEqual(sent);
  expect(first.type(`${UP}\r`)).toEqual(sent);
  expect(open(path).type(`${UP}\r`)).toEqual(sent);
});

test('completions that come after the prompt was edited elsewhere leave it alone', async () => {
  let end = (_found: Completion): void => expect.unreachable();
  const search = () => new Promise<Completion>(resolve => (end = resolve));
  const { editor, type } = open(join(tempFolder(), 'history.jsonl'), () => search);
  const started = end;
  expect(type('/s:p k=o\t\u0007')).toEqual([{ type: 'editor' }]);
  await expect.poll(() => end !== started).toBe(true);
  editor.edited('something else, longer');
  end({ start: 7, options: ['one'] });
  await new Promise(resolve => setImmediate(resolve));
  expect(editor.state).toMatchObject({ text: 'something else, longer', menu: undefined });
});
