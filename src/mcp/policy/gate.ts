import type { ServerSettings } from '../config/types.ts';
import { Approvals, type Approver } from './approval.ts';
import { PolicyCheck, type PolicyTool, type ToolPolicy } from './policy.ts';

/** What stands between the model and the tools: which it sees, and which calls are made. */
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
   * Resolves when the call may be made; what the user declines counts for the limit too, or a model could ask without
   * end. Throws LlmHostError: CANCELLED (the signal), TOOL_FAILED in words for the model.
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
