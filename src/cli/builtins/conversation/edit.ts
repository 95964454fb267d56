import { editText } from '../../../tui/input/external-editor.ts';
import { editedNaming } from '../../attachments/file-references.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const edit: Builtin = {
  name: 'edit',
  help: 'opens the last prompt in your editor and asks it again',
  run: ({ lastPrompt }, _argument, { terminal }) => {
    if (terminal === undefined) return print('/edit needs a terminal.');
    const last = lastPrompt.typed;
    const resume = terminal.lend();
    let edited: ReturnType<typeof editText>;
    try {
      edited = terminal.blockedBy(() => editText(last?.text ?? '', process.env));
    } finally {
      resume();
    }
    if ('problem' in edited) return print(`Notice: ${edited.problem}`);
    if (edited.text.trim() === '') return print('The prompt is empty; nothing was sent.');
    if (edited.text === last?.text.trimEnd())
      return print('The prompt is unchanged; nothing was sent. /retry asks it again.');
    lastPrompt.takeBack();
    const naming = last && editedNaming(edited.text, last);
    return { output: '', prompt: { text: edited.text, ...(naming !== undefined && { naming }) } };
  },
};
