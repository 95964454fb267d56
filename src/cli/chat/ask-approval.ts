import { holdSpinners } from '../../line/spinner.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../mcp/policy/approval.ts';
import { choicesFor } from '../../text/choice.ts';
import { visible } from '../../text/clean/visible.ts';
import { readLine } from '../process/questions.ts';
import { wrapped } from '../process/wrapped.ts';
import { alwaysNotice, answerChoices, questionOf, readArguments } from './approval-answers.ts';

/** Asks for approval of each call on stderr, answered by typed words; undefined without a terminal. */
export function terminalApprover(): Approver | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  return async request => {
    const release = holdSpinners();
    try {
      const choices = answerChoices(request).map(({ word, label }) => `  ${word}: ${label}`);
      // Over the spinner, which such a terminal has not.
      const erased = process.env.TERM === 'dumb' ? '' : '\r\u001b[K';
      process.stderr.write(`${erased}${choices.join('\n')}\n`);
      return await askWords(request);
    } finally {
      release();
    }
  };
}

/** Enter and Ctrl+D mean no; a word that is none of the answers is asked again. */
async function askWords(request: ApprovalRequest): Promise<ApprovalAnswer> {
  const choices = answerChoices(request);
  const words = choices.map(({ word }) => word).join(', ');
  while (true) {
    const typed = await readLine(`${questionOf(request)} ${words} [no]: `, false, request.signal);
    if (typed === undefined || typed.trim() === '') return 'no';
    const [choice, ...more] = choicesFor(typed, choices);
    if (!choice || more.length > 0) {
      tell(`'${visible(typed.trim())}' is none of ${words}`);
      continue;
    }
    const answer = choice.answer === 'edit' ? await edited(request) : choice.answer;
    const notice = answer === 'always' ? alwaysNotice(request) : undefined;
    if (notice !== undefined) tell(`Notice: ${notice}`);
    if (answer !== undefined) return answer;
  }
}

/** undefined: back to the question. */
async function edited(request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
  let text = JSON.stringify(request.arguments);
  while (true) {
    const typed = await readLine('arguments -> ', false, request.signal, text);
    if (typed === undefined || typed.trim() === '') return undefined;
    const read = readArguments(typed, request);
    if ('arguments' in read) return read;
    tell(visible(read.problem));
    text = typed;
  }
}

const tell = (text: string): void =>
  void process.stderr.write(`${wrapped(text, process.stderr, process.env)}\n`);
