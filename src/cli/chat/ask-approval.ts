import { holdSpinners } from '../../line/spinner.ts';
import type { ApprovalAnswer, Approver } from '../../mcp/policy/approval.ts';
import { formatArguments } from '../../text/console-format.ts';
import { visible } from '../../text/visible.ts';
import { readLine } from '../process/questions.ts';

/** Asks for approval of each call on stderr; undefined without a terminal. */
export function terminalApprover(): Approver | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  return async ({ offered, server, arguments: args, signal }) => {
    const release = holdSpinners();
    try {
      process.stderr.write('\r\u001b[K');
      const call = `${visible(offered)}(${visible(formatArguments(args))})`;
      const question = `Run ${call} of server '${visible(server)}'? yes, no, or always for this tool [no]: `;
      return answerOf(await readLine(question, false, signal));
    } finally {
      release();
    }
  };
}

function answerOf(text: string | undefined): ApprovalAnswer {
  const word = text?.trim().toLowerCase() ?? '';
  if (word === 'a' || word === 'always') return 'always';
  return word === 'y' || word === 'yes' ? 'yes' : 'no';
}
