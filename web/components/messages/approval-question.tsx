import { useState } from 'react';
import type { CallPart } from '../../conversation/types.ts';
import { plain } from '../../markdown/plain.ts';
import { visibleJson } from '../../markdown/visible-json.ts';
import type { Answer } from '../../state/approvals.ts';
import { useChat } from '../../state/use-chat.ts';

interface QuestionProps {
  readonly call: CallPart;
  /** It is answered; if that cannot be sent, it comes back with the arguments as changed. */
  readonly hidden: boolean;
}

/** Whether a call may run. Nothing happens without an answer, and after five minutes the server refuses it. */
export function ApprovalQuestion({ call, hidden }: QuestionProps) {
  const chat = useChat();
  const [changed, setChanged] = useState<string>();
  const answer = (given: Answer) => void chat.answer(call, given);
  const args = changed === undefined ? undefined : objectIn(changed);
  const name = plain(call.name);
  return (
    <div className="approval" hidden={hidden}>
      <p>
        {call.question?.reason === 'destructive'
          ? `${name} may delete or overwrite something. May it run?`
          : `May ${name} run?`}
      </p>
      {changed !== undefined && (
        <textarea
          aria-label="Arguments"
          value={changed}
          rows={6}
          spellCheck={false}
          aria-invalid={args === undefined}
          onChange={event => setChanged(event.target.value)}
        />
      )}
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={changed !== undefined && args === undefined}
          onClick={() => answer(args ? { arguments: args } : 'yes')}
        >
          {changed === undefined ? 'Allow' : 'Allow with these'}
        </button>
        <button type="button" onClick={() => answer('no')}>
          Refuse
        </button>
        {changed === undefined && (
          <>
            <button type="button" onClick={() => answer('conversation')}>
              Allow in this conversation
            </button>
            <button type="button" onClick={() => setChanged(visibleJson(call.arguments))}>
              Change …
            </button>
          </>
        )}
      </div>
    </div>
  );
}

/** Undefined: it is no JSON object. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
