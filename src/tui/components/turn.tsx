import type { TurnStatus } from '../state/screen-state.ts';
import { ToolCall } from './tool-call.tsx';
import { Working } from './working.tsx';

export interface TurnProps {
  readonly turn: TurnStatus;
  readonly now: number;
  readonly columns: number;
  /** Rows it may take. */
  readonly height: number;
}

/** Rows it takes if there is room. */
export const turnHeight = ({ calls, working }: TurnStatus): number => calls.length || (working ? 1 : 0);

/** The work in progress: running calls, the phase of the reply, its last thought. */
export function Turn({ turn, now, columns, height }: TurnProps) {
  const { calls, working, thought } = turn;
  if (height === 0) return undefined;
  return (
    <>
      {calls.slice(-height).map(({ id, name, startedAt, message }) => (
        <ToolCall
          key={id}
          name={name}
          startedAt={startedAt}
          now={now}
          columns={columns}
          note={message || thought}
        />
      ))}
      {calls.length === 0 && working && (
        <Working {...working} thought={thought} now={now} columns={columns} />
      )}
    </>
  );
}
