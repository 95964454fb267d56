export interface WantedRows {
  readonly prompt: number;
  readonly menu: number;
  readonly queue: number;
  readonly turn: number;
}

export interface SharedRows {
  readonly footer: boolean;
  readonly menu: number;
  readonly queue: number;
  readonly turn: number;
}

/**
 * Divides the window's rows so that the live region stays shorter than the window: rows that scroll out cannot be
 * erased. The prompt comes first, then the footer, a row for the turn, the menu, the queue, and the rest of the turn.
 */
export function shareRows(rows: number, wanted: WantedRows): SharedRows {
  const room = Math.max(1, rows - 1) - wanted.prompt;
  const footer = room > 1;
  const menu = Math.min(wanted.menu, Math.max(0, room - 2));
  const queue = Math.min(wanted.queue, Math.max(0, room - menu - 3));
  const turn = Math.min(wanted.turn, Math.max(0, room - menu - queue - (footer ? 1 : 0)));
  return { footer, menu, queue, turn };
}
