import type { ToolDefinition } from '../../chat/message.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { firstWords } from '../../text/first-words.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { ToolMeter } from './tool-budget.ts';

/** A single tool may take so much of a budget before it is shortened further. */
const MAX_SHARE = 0.15;
/** After this many that did not fit, the rest are not tried. */
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

/** Returns one object for each definition and level, by which prompts and their sizes are recognized. */
function short(definition: ToolDefinition, level: 1 | 2 | 3): ToolDefinition {
  const known = shortened.get(definition) ?? new Map<number, ToolDefinition>();
  shortened.set(definition, known);
  const found = known.get(level) ?? shortDefinition(definition, level);
  known.set(level, found);
  return found;
}

type Schema = Readonly<Record<string, unknown>>;

const MAX_DESCRIPTION = 160;
const MAX_ARGUMENT_DESCRIPTION = 60;
const MAX_CHOICES = 12;
/** Below these keys stand names, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/**
 * A definition in fewer words, for a prompt without room for all tools in full: 1: descriptions cut; 2: only the
 * arguments themselves, without what is nested in them; 3: only the required ones. Calls are checked by the full one.
 */
export function shortDefinition({ function: tool }: ToolDefinition, level: 1 | 2 | 3): ToolDefinition {
  const { name, description, parameters } = tool;
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description: firstWords(description, MAX_DESCRIPTION) }),
      parameters: level === 1 ? withoutProse(parameters) : flat(parameters, level === 3),
    },
  };
}

/** Names of properties are kept, whatever they are; keywords that only explain go. */
function withoutProse(schema: unknown): Schema {
  const short: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema as Schema)) {
    if (['title', 'examples', 'default', 'additionalProperties', '$id', '$comment'].includes(key)) continue;
    if (key === 'enum' || key === 'const') {
      // Calls must repeat the values exactly.
      short[key] = value;
    } else if (key === 'description') {
      if (typeof value === 'string') short[key] = firstWords(value, MAX_ARGUMENT_DESCRIPTION);
    } else if (NAMED.has(key) && isPlainObject(value)) {
      const parts = Object.entries(value).map(([name, part]) => [name, shortPart(part)]);
      short[key] = Object.fromEntries(parts);
    } else {
      short[key] = Array.isArray(value) ? value.map(shortPart) : shortPart(value);
    }
  }
  return short;
}

function shortPart(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutProse(value) : value;
}

function flat({ properties = {}, required }: Schema, onlyRequired: boolean): Schema {
  const names = Array.isArray(required) ? (required as string[]) : [];
  const kept = Object.entries(properties as Schema).filter(([name]) => !onlyRequired || names.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(kept.map(([name, schema]) => [name, typeOnly(schema)])),
    ...(names.length > 0 && { required: names }),
  };
}

function typeOnly(schema: unknown): Schema {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, enum: choices } = schema as { type?: unknown; enum?: unknown };
  return {
    ...(type !== undefined && { type }),
    ...(Array.isArray(choices) && choices.length <= MAX_CHOICES && { enum: choices }),
  };
}
