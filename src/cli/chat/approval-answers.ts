import { messageOf } from '../../errors.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../mcp/policy/approval.ts';
import type { Choice } from '../../text/choice.ts';
import { visible } from '../../text/clean/visible.ts';
import { formatArguments } from '../../text/console-format.ts';

/** What the user can answer; `edit` asks for other arguments first. */
export interface AnswerChoice extends Choice {
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

/** What `always` has done, for the user; undefined: nothing that lasts. */
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
