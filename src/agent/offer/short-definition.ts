import type { ToolDefinition } from '../../chat/message.ts';
import { firstWords } from '../../text/first-words.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

type Schema = Readonly<Record<string, unknown>>;

const MAX_DESCRIPTION = 160;
const MAX_ARGUMENT_DESCRIPTION = 60;
const MAX_CHOICES = 12;
/** What stands below these are names, not keywords. */
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
