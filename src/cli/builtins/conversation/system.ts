import { type Builtin, print } from '../base/builtin.ts';

export const system: Builtin = {
  name: 'system',
  argument: '[text]',
  help: 'shows the system prompt, or sets it',
  run: (session, text) => {
    const { messages } = session.history;
    const first = messages[0]?.role === 'system' ? messages[0] : undefined;
    if (text === '') return print(first?.content ?? 'There is no system prompt.');
    session.setSystem(text);
    return print('The system prompt was set.');
  },
};
