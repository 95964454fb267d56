import type { ServerSettings } from '../config/types.ts';
import { Approvals, type Approver } from './approval.ts';
import { PolicyCheck, type PolicyTool, type ToolPolicy } from './policy.ts';

/** Stands between the model and the tools: decides which it sees and which calls go through. */
export class CallGate {
  readonly #check: PolicyCheck;
  readonly #approvals = new Approvals();

  constructor(policy?: ToolPolicy) {
    this.#check = new PolicyCheck(policy);
  }

  set approver(approver: Approver | undefined) {
    this.#approvals.approver = approver;
  }

  offers(tool: PolicyTool, settings: ServerSettings): boolean {
    return this.#check.offers(tool, settings);
  }

  /**
   * Resolves if the call may go ahead. Declined calls count towards the rate limit too, or a model could ask forever.
   * Throws LlmHostError: CANCELLED (the signal), TOOL_FAILED with a message for the model.
   */
  async permit(
    tool: PolicyTool,
    settings: ServerSettings,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<void> {
    this.#check.count();
    if (this.#check.approvalOf(tool, settings) === 'auto') return;
    await this.#approvals.ask({ ...tool, arguments: args, ...(signal && { signal }) });
  }
}
