import type { ToolDefinition } from '../../../chat/message.ts';
import type { ArgumentLanguage, ToolSignature } from '../cases/tool-case.ts';

/** A schema in the words of BFCL: JSON Schema, but for the names of its types. */
export interface BfclSchema {
  readonly type?: string;
  readonly description?: string;
  readonly items?: BfclSchema;
  readonly properties?: Readonly<Record<string, BfclSchema>>;
  readonly [key: string]: unknown;
}

/** A function as BFCL describes it. */
export interface BfclFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly properties: Readonly<Record<string, BfclSchema>>;
    readonly required: readonly string[];
  };
}

/** Types of JSON Schema for those of BFCL; any other is a string. */
const JSON_SCHEMA_TYPES = new Map(
  Object.entries({
    integer: ['integer', 'byte', 'short', 'long', 'Bigint'],
    number: ['number', 'float', 'double'],
    boolean: ['boolean', 'bool'],
    array: ['array', 'list', 'tuple', 'ArrayList', 'Array', 'Queue', 'Stack'],
    object: ['object', 'dict', 'HashMap', 'Hashtable'],
  }).flatMap(([type, names]) => names.map(name => [name, type] as const)),
);

const LANGUAGE_NAMES = { json: 'Python 3', java: 'Java 8 SDK', javascript: 'JavaScript' };

/** Names of functions with only the characters that every API allows. */
export const offeredName = (name: string) => name.replaceAll('.', '_');

/** The tool that a model is offered for a function: worded as BFCL's own program words it for models of the OpenAI API. */
export function offeredTool(described: BfclFunction, language: ArgumentLanguage): ToolDefinition {
  const { parameters } = described;
  const properties = mapped(parameters.properties, schema =>
    language === 'json' ? jsonSchema(schema) : jsonSchema(literalSchema(schema, language)),
  );
  const description = `${described.description} Note that the provided function is in ${LANGUAGE_NAMES[language]} syntax.`;
  return {
    type: 'function',
    function: {
      name: offeredName(described.name),
      description,
      parameters: { ...parameters, type: 'object', properties },
    },
  };
}

/** What the scorer looks at. */
export function signatureOf({ parameters: { properties, required } }: BfclFunction): ToolSignature {
  const parameters = Object.entries(properties).map(
    ([name, { type = 'any', items }]) => [name, { type, itemType: items?.type }] as const,
  );
  return { parameters: new Map(parameters), required };
}

function jsonSchema(schema: BfclSchema): BfclSchema {
  const { type: named = 'string', description = '', ...rest } = schema;
  const type = JSON_SCHEMA_TYPES.get(named) ?? 'string';
  const isFloat = named === 'float';
  return {
    ...rest,
    ...((isFloat || schema.description !== undefined) && {
      description: isFloat ? `${description} This is a float type value.` : description,
    }),
    type,
    ...(isFloat && { format: 'float' }),
    ...(type === 'array' || type === 'object' ? innerSchemas(schema) : {}),
  };
}

function innerSchemas({ items, properties }: BfclSchema): Partial<BfclSchema> {
  if (properties) return { properties: mapped(properties, jsonSchema) };
  return items ? { items: itemSchema(items) } : {};
}

function itemSchema(items: BfclSchema): BfclSchema {
  const type = JSON_SCHEMA_TYPES.get(items.type ?? '') ?? 'string';
  if (type === 'array' && items.items)
    return {
      ...items,
      type,
      items: { ...items.items, type: JSON_SCHEMA_TYPES.get(items.items.type ?? '') ?? 'string' },
    };
  if (type === 'object' && items.properties)
    return { ...items, type, properties: mapped(items.properties, jsonSchema) };
  return { ...items, type };
}

/** Values of Java and JavaScript are written as the text of a literal. */
function literalSchema(schema: BfclSchema, language: 'java' | 'javascript'): BfclSchema {
  const { type = 'any', items, properties, description = '', ...rest } = schema;
  const name = language === 'java' ? 'Java' : 'JavaScript';
  const told =
    type === 'any'
      ? ` This parameter can be of any type of ${name} object in string representation.`
      : ` This is ${name} ${type} type parameter in string representation.`;
  const isList = language === 'java' ? type === 'ArrayList' || type === 'Array' : type === 'array';
  const ofItems = isList
    ? ` The list elements are of type ${items?.type}; they are not in string representation.`
    : '';
  const ofEntries =
    language === 'javascript' && type === 'dict' && properties
      ? ` The dictionary entries have the following schema; they are not in string representation. ${spacedJson(properties)}`
      : '';
  return {
    ...rest,
    ...(items && !isList && { items }),
    ...(properties && ofEntries === '' && { properties }),
    description: `${description}${told}${ofItems}${ofEntries}`,
    type: 'string',
  };
}

/** JSON as Python writes it. */
function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
}

function mapped(
  schemas: Readonly<Record<string, BfclSchema>>,
  change: (schema: BfclSchema) => BfclSchema,
): Record<string, BfclSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
}
