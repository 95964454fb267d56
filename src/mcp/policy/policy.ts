import { LlmHostError } from '../../errors.ts';
import { matchesGlob } from '../../text/files/glob.ts';
import type { Approval, ServerSettings } from '../config/types.ts';

/** The user's rules for tools, from config.json and the command line. Patterns may use `*` and `?`. */
export interface ToolPolicy {
  /** Never offered or called. Case-insensitive, so that spelling cannot get around it. */
  readonly blocked?: readonly string[];
  /** If given, only these are offered. */
  readonly allowed?: readonly string[];
  /** `--tools`: narrows the offered tools further. */
  readonly selected?: readonly string[];
  /** Calls of all tools together per 60 s. Default: no limit. */
  readonly ratePerMinute?: number;
  /** For tools that their server's entry does not mention. Default `auto`. */
  readonly approval?: Approval;
  /** `--ask`: every call needs approval, even where the rule is `auto`. */
  readonly askAll?: boolean;
  /**
   * Calls that may delete or overwrite something need approval too, where somebody can be asked and neither `approval`
   * nor the server's entry says otherwise. Default false.
   */
  readonly askDestructive?: boolean;
}

/** A tool under every name a pattern may match. */
export interface PolicyTool {
  /** The name offered to the model. */
  readonly offered: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly server: string;
}

const MINUTE_MS = 60_000;

/** Decides which tools the model sees, and whether a call may go ahead now. */
export class PolicyCheck {
  readonly #policy: ToolPolicy;
  readonly #now: () => number;
  /** When the calls of the last minute were made. */
  #calls: number[] = [];

  /** `now`: a monotonic clock in milliseconds. */
  constructor(policy: ToolPolicy = {}, now: () => number = () => performance.now()) {
    this.#policy = policy;
    this.#now = now;
  }

  /** Whether the model may see the tool at all. */
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
    const approval = this.ruleOf(tool, settings) ?? this.#policy.approval ?? 'auto';
    return approval === 'auto' && this.#policy.askAll === true ? 'ask' : approval;
  }

  /** The rule for the tool in the server's entry. A rule that holds a tool back does so in any spelling. */
  ruleOf({ tool }: PolicyTool, settings: ServerSettings): Approval | undefined {
    return settings.approval?.find(({ pattern, approval }) =>
      approval === 'auto' ? matchesGlob(pattern, tool) : matchesGlob(fold(pattern), fold(tool)),
    )?.approval;
  }

  /**
   * Counts a call. Throws LlmHostError TOOL_FAILED, with a message for the model, once the minute's calls are used
   * up.
   */
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

/** Compatibility forms of letters (full-width, for example) count as the letters. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
