import type { ToolPolicy } from '../../mcp/policy/policy.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { AppConfig } from '../settings/config-file.ts';

/** The tool policy of config.json and the command line. `--tools a,b` means `--tools a --tools b`. */
export function toolPolicy(args: ChatArguments, { tools = {} }: AppConfig): ToolPolicy {
  const selected = args.tools?.flatMap(patterns => patterns.split(',')).filter(pattern => pattern !== '');
  const { blocked, allowed, ratePerMinute, approval } = tools;
  return {
    blocked,
    allowed,
    selected,
    ratePerMinute,
    approval,
    askAll: args.ask,
    askDestructive: (!args.yes && !args.json) || undefined,
  };
}
