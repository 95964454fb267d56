import type { HostTool } from '../../mcp/tool-host.ts';
import { describedTool } from './titled-text.ts';

type Schema = Readonly<Record<string, unknown>>;

/** All that its server says of a tool: what it does, and a line for each argument. */
export function toolDetails({ definition, server, title }: HostTool): string {
  const { name, description, parameters } = definition.function;
  const { properties = {}, required = [] } = parameters as { properties?: Schema; required?: unknown };
  const needed = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties).map(([key, schema]) =>
    argumentLine(key, schema, needed.includes(key)),
  );
  return [
    describedTool(name, server, title, description),
    lines.length === 0 ? 'It takes no arguments.' : 'Arguments:',
    ...lines,
  ].join('\n');
}

function argumentLine(name: string, schema: unknown, required: boolean): string {
  const { description } = objectOf(schema);
  const about = typeof description === 'string' && description !== '' ? `: ${description}` : '';
  return `  ${name} (${typeText(schema)}${required ? '' : ', optional'})${about}`;
}

/** `string`, `number or null`, `list of string`, `"a" or "b"`; `any` for what cannot be said in short. */
function typeText(schema: unknown): string {
  const { type, enum: values, items, anyOf, oneOf } = objectOf(schema);
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' or ');
  const others = Array.isArray(anyOf) ? anyOf : oneOf;
  if (type === undefined && Array.isArray(others)) return [...new Set(others.map(typeText))].join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeText(items)}`;
  const types = (Array.isArray(type) ? type : [type]).filter(one => typeof one === 'string');
  return types.length === 0 ? 'any' : types.join(' or ');
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
