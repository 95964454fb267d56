import { LlmHostError } from '../../errors.ts';
import { matchesGlob } from '../../text/glob.ts';
import type { Approval, ServerSettings } from '../config/types.ts';

/** What the user allows, from config.json and the command line. Patterns know `*` and `?`. */
export interface ToolPolicy {
  /** Tools that are never offered or called. Compared without regard to case, so that spelling cannot dodge it. */
  readonly blocked?: readonly string[];
  /** Only these are offered, where given. */
  readonly allowed?: readonly string[];
  /** `--tools`: of those, only these. */
  readonly selected?: readonly string[];
  /** Calls of all tools together in any 60 s; no limit where absent. */
  readonly ratePerMinute?: number;
  /** For tools about which their server's entry says nothing. Default `auto`. */
  readonly approval?: Approval;
  /** `--ask`: no call without a question, whatever else says `auto`. */
  readonly askAll?: boolean;
}

/** A tool, by all the names that a pattern may mean. */
export interface PolicyTool {
  /** The name offered to the model. */
  readonly offered: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly server: string;
}

const MINUTE_MS = 60_000;

/** Decides which tools the model gets to see, and whether a call may be made now. */
export class PolicyCheck {
  readonly #policy: ToolPolicy;
  readonly #now: () => number;
  /** Times of the calls of the last minute. */
  #calls: number[] = [];

  /** `now` in milliseconds, never going back. */
  constructor(policy: ToolPolicy = {}, now: () => number = () => performance.now()) {
    this.#policy = policy;
    this.#now = now;
  }

  /** Whether the model may know of the tool at all. */
  offers(tool: PolicyTool, settings: ServerSettings): boolean {
    const { blocked = [], allowed, selected } = this.#policy;
    if (blocked.some(pattern => names(tool).some(name => matchesGlob(fold(pattern), fold(name)))))
      return false;
    for (const list of [allowed, selected]) {
      if (list && !list.some(pattern => names(tool).some(name => matchesGlob(pattern, name)))) return false;
    }
    if (settings.allow && !settings.allow.some(pattern => matchesGlob(pattern, tool.tool))) return false;
    if (settings.deny?.some(pattern => matchesGlob(fold(pattern), fold(tool.tool)))) return false;
    return this.approvalOf(tool, settings) !== 'never';
  }

  /** The rule of the server's entry, else the general one. `--ask` turns `auto` into `ask`. */
  approvalOf(tool: PolicyTool, settings: ServerSettings): Approval {
    const rule = settings.approval?.find(({ pattern }) => matchesGlob(pattern, tool.tool));
    const approval = rule?.approval ?? this.#policy.approval ?? 'auto';
    return approval === 'auto' && this.#policy.askAll === true ? 'ask' : approval;
  }

  /** Counts a call. Throws LlmHostError TOOL_FAILED, for the model to read, when the minute's calls are used up. */
  count(): void {
    const { ratePerMinute } = this.#policy;
    if (ratePerMinute === undefined) return;
    const now = this.#now();
    this.#calls = this.#calls.filter(time => now - time < MINUTE_MS);
    const first = this.#calls[0];
    if (this.#calls.length >= ratePerMinute) {
      const seconds = Math.ceil((MINUTE_MS - (now - (first ?? now))) / 1000);
      throw new LlmHostError(
        'TOOL_FAILED',
        `The limit of ${ratePerMinute} tool calls per minute is reached; the next call is possible in ${seconds} s. Answer with what you have`,
      );
    }
    this.#calls.push(now);
  }
}

function names({ offered, tool, server }: PolicyTool): string[] {
  return [offered, tool, `${server}__${tool}`, `${server}/${tool}`];
}

/** Look-alikes of letters in other forms count as the letters. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
