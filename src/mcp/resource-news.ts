import type { Notices } from './notices.ts';
import { cleanLine, TEXT_LIMITS } from './server/incoming-text.ts';

const MAX_KEPT = 50;

/** Attached resources that have changed: the user is told, and the model with the next prompt, since what it read is old. */
export class ResourceNews {
  readonly #notices: Notices;
  #changed = new Set<string>();

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  add(server: string, uri: string): void {
    const name = cleanLine(`${server}:${uri}`, TEXT_LIMITS.field);
    const has = 'has changed since it was attached';
    this.#notices.add(
      `${server}\0resource ${uri}`,
      `Resource @${name} ${has}; name it again to attach it anew.`,
    );
    if (this.#changed.size < MAX_KEPT) this.#changed.add(`[The resource ${name} ${has}]`);
  }

  /** For the model; returns all and clears them. */
  take(): readonly string[] {
    const taken = [...this.#changed];
    this.#changed.clear();
    return taken;
  }

  /** They were not told after all. */
  giveBack(taken: readonly string[]): void {
    this.#changed = new Set([...taken, ...this.#changed]);
  }
}
