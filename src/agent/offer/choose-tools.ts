import type { ToolDefinition } from '../../chat/message.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { shortDefinition } from './short-definition.ts';
import type { ToolMeter } from './tool-meter.ts';

/** A single tool may take so much of a budget before it is shortened further. */
const MAX_SHARE = 0.15;
/** After so many that did not fit, the rest are not tried. */
const MAX_MISSES = 8;

const shortened = new WeakMap<ToolDefinition, Map<number, ToolDefinition>>();

/** As many of these tools as fit `budget` tokens, the first ones first, in short form. */
export function chooseTools(tools: readonly HostTool[], budget: number, meter: ToolMeter): ToolDefinition[] {
  const chosen: ToolDefinition[] = [];
  let left = budget;
  let misses = 0;
  for (const { definition } of tools) {
    const short = fitting(definition, Math.min(left, budget * MAX_SHARE), meter);
    const tokens = meter.one(short);
    if (tokens > left) {
      misses += 1;
      if (misses >= MAX_MISSES) break;
      continue;
    }
    chosen.push(short);
    left -= tokens;
  }
  return chosen;
}

/** The longest form within `limit`, or the shortest. */
function fitting(definition: ToolDefinition, limit: number, meter: ToolMeter): ToolDefinition {
  const levels = [1, 2, 3] as const;
  const found = levels.find(level => meter.one(short(definition, level)) <= limit);
  return short(definition, found ?? 3);
}

/** The same object each time, by which prompts and their sizes are recognized. */
function short(definition: ToolDefinition, level: 1 | 2 | 3): ToolDefinition {
  const known = shortened.get(definition) ?? new Map<number, ToolDefinition>();
  shortened.set(definition, known);
  const found = known.get(level) ?? shortDefinition(definition, level);
  known.set(level, found);
  return found;
}
