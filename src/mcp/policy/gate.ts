import type { ServerConfig, ServerSettings } from '../config/types.ts';
import type { ServerTool } from '../server/wire-schemas.ts';
import { fingerprint, identity } from '../trust/tools.ts';
import type { AllowedTool, AllowedTools } from './allowed-tools.ts';
import { Approvals, type Approver, type CallArguments, type TurnApprover } from './approval.ts';
import { isDestructive } from './destructive.ts';
import { PolicyCheck, type PolicyTool, type ToolPolicy } from './policy.ts';

/** A tool that is to be called, with what its server says about it. */
export interface GatedTool extends PolicyTool {
  readonly config?: ServerConfig;
  readonly definition?: ServerTool;
  /** The schema of its arguments, as the model knows it. */
  readonly parameters?: object;
}

/** Stands between the model and the tools: decides which it sees and which calls go through. */
export class CallGate {
  readonly #check: PolicyCheck;
  readonly #policy: ToolPolicy;
  readonly #allowed: AllowedTools | undefined;
  /** The user's answers. */
  readonly approvals: Approvals;

  constructor(policy: ToolPolicy = {}, allowed?: AllowedTools) {
    this.#policy = policy;
    this.#allowed = allowed;
    this.#check = new PolicyCheck(policy);
    this.approvals = new Approvals(allowed);
  }

  set approver(approver: Approver | undefined) {
    this.approvals.approver = approver;
  }

  offers(tool: PolicyTool, settings: ServerSettings): boolean {
    return this.#check.offers(tool, settings);
  }

  /**
   * Resolves with the arguments to call with: the user may have changed them. Declined calls count towards the rate limit
   * too, or a model could ask forever. Throws LlmHostError: CANCELLED (the signal), TOOL_FAILED (the rate limit) and
   * TOOL_REFUSED (the user) with a message for the model.
   * @param asked who is asked instead of the host's approver
   */
  async permit(
    tool: GatedTool,
    settings: ServerSettings,
    args: CallArguments,
    signal?: AbortSignal,
    asked?: TurnApprover,
  ): Promise<CallArguments> {
    this.#check.count();
    const approvals = asked ? this.#approvalsOf(asked) : this.approvals;
    const reason = this.#reasonToAsk(tool, settings, args, asked);
    if (reason === undefined) return args;
    const { offered, tool: name, server, parameters = {} } = tool;
    return await approvals.ask({
      offered,
      tool: name,
      server,
      parameters,
      reason,
      signal,
      arguments: args,
      identity: identityOf(tool),
    });
  }

  /** Its questions wait for no others, and its answers hold for no other turn; what the user has saved holds for all. */
  #approvalsOf({ ask }: TurnApprover): Approvals {
    const approvals = new Approvals(this.#allowed);
    approvals.approver = ask;
    return approvals;
  }

  /** A call that is only destructive runs unasked where nobody can be asked: scripts know what they call. */
  #reasonToAsk(tool: GatedTool, settings: ServerSettings, args: CallArguments, asked?: TurnApprover) {
    if (asked?.everyCall || this.#check.approvalOf(tool, settings) === 'ask') return 'rule';
    const { config, definition } = tool;
    const { askDestructive, approval } = this.#policy;
    if (!askDestructive || approval !== undefined || !(asked || this.approvals.approver)) return undefined;
    if (!config || !definition || this.#check.ruleOf(tool, settings)) return undefined;
    const { annotations } = definition;
    const call = { tool: tool.tool, annotations, server: config, arguments: args };
    return isDestructive(call) ? 'destructive' : undefined;
  }
}

function identityOf({ server, tool, config, definition }: GatedTool): AllowedTool | undefined {
  if (!config || !definition) return undefined;
  return { server, tool, launch: identity(config), definition: fingerprint(definition) };
}
