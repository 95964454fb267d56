import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../mcp/policy/approval.ts';
import type { Screen } from '../../tui/screen.ts';
import { alwaysNotice, answerChoices, questionOf, readArguments } from './approval-answers.ts';

/** Asks for approval of each call on the screen. Esc means no. */
export function screenApprover(screen: Pick<Screen, 'choose' | 'editText' | 'notice'>): Approver {
  return async request => {
    const choices = answerChoices(request);
    while (true) {
      const word = await screen.choose(questionOf(request), choices, 'no', request.signal);
      const choice = choices.find(one => one.word === word);
      if (!choice) return 'no';
      const answer = choice.answer === 'edit' ? await edited(screen, request) : choice.answer;
      const notice = answer === 'always' ? alwaysNotice(request) : undefined;
      if (notice !== undefined) screen.notice(notice);
      if (answer !== undefined) return answer;
    }
  };
}

/** undefined: back to the question. */
async function edited(
  screen: Pick<Screen, 'editText' | 'notice'>,
  request: ApprovalRequest,
): Promise<ApprovalAnswer | undefined> {
  let text = JSON.stringify(request.arguments, undefined, 2);
  while (true) {
    const typed = await screen.editText('arguments -> ', text, request.signal);
    if (typed === undefined) return undefined;
    const read = readArguments(typed, request);
    if ('arguments' in read) return read;
    screen.notice(read.problem);
    text = typed;
  }
}
