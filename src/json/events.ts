import type { TurnEvent } from '../agent/events/turn-event.ts';

/** Bumped when an event changes incompatibly. */
export const EVENTS_VERSION = 1;

/** The events of the JSON stream besides a turn's own. All are described in docs/events.md and events.schema.json. */
export type SessionEvent =
  /** The first event of every stream. */
  | { readonly type: 'start'; readonly version: number; readonly program: string; readonly model: string }
  /** Model and servers are up; prompts are accepted. */
  | {
      readonly type: 'ready';
      readonly model: string;
      readonly device: string;
      readonly contextLength: number;
      readonly tools: number;
      readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
    }
  /** A turn begins with this prompt. */
  | { readonly type: 'user'; readonly text: string }
  /** The last event of every stream. */
  | { readonly type: 'end'; readonly code: number };

export type JsonEvent = TurnEvent | SessionEvent;
