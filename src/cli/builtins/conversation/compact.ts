import { compactedText } from '../../../agent/context/compact-turns.ts';
import { LlmHostError } from '../../../errors.ts';
import { type Builtin, print, withNotice } from '../base/builtin.ts';

export const compact: Builtin = {
  name: 'compact',
  help: 'summarizes all turns but the last; /undo takes that back',
  run: async (session, _argument, { signal, progress }) => {
    progress('The model summarizes the conversation ...');
    const done = await session.summary(signal);
    if (done === 'short')
      return print(
        'There is nothing to summarize: there is one turn at most, or it fills the context alone.',
      );
    if (done === 'cancelled') return print('Cancelled; the conversation is unchanged.');
    if (done === 'longer') return print('A summary would be longer than these turns; they stay as they are.');
    if (done.unwritten)
      throw new LlmHostError('ENGINE', 'The model wrote no summary; the conversation is unchanged');
    const problem = session.compact(done);
    return print(withNotice(`${compactedText(done)}\n${done.summary}`, problem));
  },
};
