import { compactTurns } from '../../../agent/turn/compact-turns.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const compact: Builtin = {
  name: 'compact',
  help: 'replaces all turns but the last by a summary that the model writes; /undo takes it back',
  run: async (session, _argument, { signal, progress }) => {
    const { model } = session.opened;
    progress('The model summarizes the conversation ...');
    const tools = session.tools.tools().map(({ definition }) => definition);
    const done = await compactTurns(model, session.history.messages, { tools, signal });
    if (done === 'short')
      return print('There is nothing to summarize: the conversation has one turn at most.');
    if (done === 'cancelled') return print('Cancelled; the conversation is as it was.');
    if (done === 'longer') return print('A summary would be longer than these turns; they stay as they are.');
    session.compact(done);
    const turns = done.turns === 1 ? '1 turn' : `${done.turns} turns`;
    return print(
      `${turns} became a summary: ${done.tokensBefore} tokens are ${done.tokensAfter} now. The saved conversation keeps every word; /undo takes it back.\n${done.summary}`,
    );
  },
};
