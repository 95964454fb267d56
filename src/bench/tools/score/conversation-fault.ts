/**
 * Why a conversation is wrong. By the rules of BFCL: a turn with no call; services in another state than after the right calls; a
 * result of the right calls that is not among those so far; or it went on without end. Else: a service ended, or gave no answer in
 * time; or its calls could not be judged.
 */
export type ConversationFault =
  | 'no call'
  | 'wrong state'
  | 'missing result'
  | 'too many steps'
  | 'server failed'
  | 'call timed out'
  | 'not scored';
