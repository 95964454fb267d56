import type { Expected, ExpectedCall, MadeCall, ToolSignature } from '../cases/tool-case.ts';
import type { ConversationFault } from './conversation-fault.ts';
import { type CallFault, faultOf } from './score-call.ts';

/** Why an answer is wrong. */
export type AnswerFault = CallFault | 'needless call' | 'wrong number of calls' | ConversationFault;

/**
 * What is wrong with the calls of an answer; undefined: nothing. The order of several calls does not count.
 * @param played what was wrong with a conversation when its calls were run
 */
export function answerFault(
  calls: readonly MadeCall[],
  expected: Expected,
  played?: ConversationFault,
): AnswerFault | undefined {
  if (expected.kind === 'conversation') return played;
  if (expected.kind === 'none') return calls.length > 0 ? 'needless call' : undefined;
  if (calls.length === 0) return 'no call';
  if (expected.kind === 'some') return undefined;
  if (calls.length !== expected.calls.length) return 'wrong number of calls';
  const left = [...calls];
  for (const wanted of expected.calls) {
    const signature = expected.signatures.get(wanted.name) ?? NOTHING;
    const faults = left.map(call => faultOf(call, wanted, signature, expected.language));
    const match = faults.indexOf(undefined);
    if (match < 0) return worthTelling(faults as CallFault[], left, wanted);
    left.splice(match, 1);
  }
  return undefined;
}

const NOTHING: ToolSignature = { parameters: new Map(), required: [] };

/** The fault of a call of the same tool, if there is one. */
function worthTelling(
  faults: readonly CallFault[],
  calls: readonly MadeCall[],
  { name }: ExpectedCall,
): CallFault {
  const same = calls.findIndex(call => call.name === name);
  return faults[Math.max(0, same)] as CallFault;
}
