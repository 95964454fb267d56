import { messageOf } from '../../errors.ts';
import { holdSpinners } from '../../line/spinner.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../mcp/policy/approval.ts';
import { type Choice, choicesFor } from '../../text/choice.ts';
import { visible } from '../../text/clean/visible.ts';
import { formatArguments } from '../../text/console-format.ts';
import { readLine } from '../process/questions.ts';
import { wrapped } from '../process/terminal.ts';

/** An answer that the user can give; `edit` asks for other arguments first. */
interface AnswerChoice extends Choice {
  readonly answer: Extract<ApprovalAnswer, string> | 'edit';
}

/** The answers, in the order they are offered. */
export function answerChoices({ savedIn }: Pick<ApprovalRequest, 'savedIn'>): readonly AnswerChoice[] {
  return [
    { word: 'once', others: ['yes'], answer: 'yes', label: 'run it this once' },
    {
      word: 'conversation',
      others: ['this conversation'],
      answer: 'conversation',
      label: 'allow it in this chat',
    },
    {
      word: 'always',
      answer: 'always',
      label: `allow it in ${savedIn === undefined ? 'this run' : 'every chat'}`,
    },
    { word: 'no', answer: 'no', label: 'do not run it' },
    { word: 'edit', answer: 'edit', label: 'change arguments first' },
  ];
}

/** `Run delete_file(filename="x") of server 'files'?`, with every argument, and why the user is asked. */
export function questionOf({ offered, server, arguments: args, reason }: ApprovalRequest): string {
  const call = `Run ${visible(offered)}(${visible(formatArguments(args))}) of server '${visible(server)}'?`;
  return reason === 'destructive' ? `${call} It may delete or overwrite something.` : call;
}

/** Reports to the user what `always` has done; undefined: nothing that lasts. */
export function alwaysNotice({ tool, server, savedIn }: ApprovalRequest): string | undefined {
  if (savedIn === undefined) return undefined;
  return `'${visible(tool)}' of server '${visible(server)}' is now always allowed (${savedIn}); /tools ask ${visible(tool)} takes it back.`;
}

/** Arguments that the user wrote as JSON, or what is wrong with them. */
export function readArguments(
  text: string,
  request: ApprovalRequest,
): { readonly arguments: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${messageOf(error)}` };
  }
  const problem = request.problem(args);
  if (problem !== undefined) return { problem: `The arguments do not fit: ${problem}` };
  return { arguments: args as Readonly<Record<string, unknown>> };
}

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
