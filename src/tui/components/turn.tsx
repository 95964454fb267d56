import type { LiveTurn } from '../state/screen-state.ts';
import { Reply } from './reply.tsx';
import { ToolCall } from './tool-call.tsx';
import { Working } from './working.tsx';

export interface TurnProps {
  readonly turn: LiveTurn;
  readonly now: number;
  readonly columns: number;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
export const turnHeight = ({ reply, calls, working }: LiveTurn): number =>
  reply.length + (calls.length || (working ? 1 : 0));

/** The running turn: the growing reply, and below it what the model or its tools are doing. */
export function Turn({ turn, now, columns, height }: TurnProps) {
  const { reply, calls, working, thought } = turn;
  if (height === 0) return undefined;
  const replyRows = Math.max(0, height - (turnHeight(turn) - reply.length));
  return (
    <>
      {replyRows > 0 && <Reply lines={reply.slice(-replyRows)} />}
      {calls.slice(-height).map(({ id, name, startedAt, message }) => (
        <ToolCall key={id} name={name} startedAt={startedAt} now={now} note={message || thought} />
      ))}
      {calls.length === 0 && working && (
        <Working {...working} thought={thought} now={now} columns={columns} />
      )}
    </>
  );
}
