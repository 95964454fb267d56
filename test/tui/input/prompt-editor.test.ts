import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KeyDecoder } from '../../../src/tui/input/keys.ts';
import { PromptEditor } from '../../../src/tui/input/prompt-editor.ts';
import { PromptHistory } from '../../../src/tui/input/prompt-history.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const UP = '\u001b[A';

function open(path: string) {
  const history = new PromptHistory(path, message => expect.fail(message));
  const editor = new PromptEditor({
    ...{ history, find: () => undefined, onChange: () => undefined },
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
