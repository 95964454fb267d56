import { resolvePointer } from '../parse/json/json-pointer.ts';
import { isCircular } from './circular-schema.ts';
import { type Grammar, literal, oneOf, SPACE, times } from './ebnf.ts';
import { isSchema, mergeSchemas, type Schema } from './schema-merge.ts';

/** Whitespace that models put between a mark and the JSON. */
export const LEADING_SPACE = '[ \\n\\r\\t]{0,3}';

const HEX = '[0-9A-Fa-f]';
const PLAIN = '[^"\\\\\\x00-\\x1f]';
const STRING = `"\\"" ${PLAIN}* ("\\\\" (["\\\\/bfnrt] | "u" ${HEX} ${HEX} ${HEX} ${HEX}) ${PLAIN}*)* "\\""`;
// Bounded, since a model may produce digits forever; integers may have more digits than a double holds.
const INTEGER = '("0" | [1-9] [0-9]{0,30})';
const FRACTION = '("." [0-9]{1,20})? ([eE] [+-]? [0-9]{1,2})?';

/** Longer lists are not worth their rules; they are checked afterwards. */
export const MAX_ITEMS = 24;
const MAX_DEPTH = 48;
const MAX_SCHEMAS = 20_000;
/** Integers in a range this small are enumerated. */
const MAX_RANGE = 64;

type Type = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/**
 * Turns JSON Schema (2020-12) into grammar rules. Objects have their properties in schema order, then those that are only
 * required, and others only where the schema allows them explicitly or by a pattern. Enforced: type, properties, required, additionalProperties, items,
 * prefixItems, minItems and maxItems up to 24, enum, const, anyOf, oneOf, allOf, local $ref, nullable, small integer
 * ranges. Everything else must be checked afterwards.
 */
export class JsonGrammar {
  readonly #grammar: Grammar;
  readonly #root: Schema | boolean;
  /** Schemas behind a $ref, which may be recursive. */
  readonly #referred = new Map<string, string>();
  #depth = 0;
  #count = 0;

  constructor(grammar: Grammar, root: Schema | boolean) {
    this.#grammar = grammar;
    this.#root = root;
  }

  /** The rule for the whole schema. @throws RangeError if it is too large or unsatisfiable. */
  root(): string {
    return this.value(this.#root);
  }

  /** Any JSON object, for `response_format: json_object`. */
  anyObject(): string {
    return this.#object({});
  }

  value(schema: unknown): string {
    if (schema === false) throw new RangeError('a schema that nothing fits');
    if (!isSchema(schema)) return this.#any();
    if (++this.#count > MAX_SCHEMAS) throw new RangeError('the schema is too large');
    if (++this.#depth > MAX_DEPTH) throw new RangeError('the schema is nested too deeply');
    try {
      return this.#schema(schema);
    } finally {
      this.#depth -= 1;
    }
  }

  #schema(schema: Schema): string {
    if (typeof schema.$ref === 'string') return this.#reference(schema, schema.$ref);
    if (Array.isArray(schema.allOf)) {
      const { allOf, ...rest } = schema;
      return this.#schema(allOf.map(part => this.#resolved(part)).reduce<Schema>(mergeSchemas, rest));
    }
    if ('const' in schema) return this.#grammar.rule(jsonLiteral(schema.const));
    if (Array.isArray(schema.enum) && schema.enum.length > 0) {
      return this.#grammar.rule(oneOf([...new Set(schema.enum.map(jsonLiteral))]));
    }
    const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
    if (union) {
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      const branches = union.filter(branch => branch !== false);
      if (branches.length === 0) throw new RangeError('a schema that nothing fits');
      const own = !isBare(rest);
      return this.#grammar.rule(
        oneOf(branches.map(branch => this.value(own ? mergeSchemas(rest, this.#resolved(branch)) : branch))),
      );
    }
    const types = typesOf(schema);
    if (types.length === 0) return this.#any();
    return this.#grammar.rule(oneOf(types.map(type => this.#typed(type, schema))));
  }

  #reference({ $ref: _ref, ...rest }: Schema, pointer: string): string {
    const target = resolvePointer(this.#root, pointer);
    if (!isBare(rest)) return this.value(isSchema(target) ? mergeSchemas(target, rest) : rest);
    const known = this.#referred.get(pointer);
    if (known !== undefined) return known;
    if (isCircular(this.#root, target))
      throw new RangeError(`$ref ${pointer} refers to itself for the same value`);
    const name = this.#grammar.reserve();
    this.#referred.set(pointer, name);
    this.#grammar.define(name, this.value(target));
    return name;
  }

  /** A branch with its $ref resolved; cycles are cut. */
  #resolved(part: unknown): Schema {
    let schema = part;
    for (let hops = 0; hops < MAX_DEPTH && isSchema(schema) && typeof schema.$ref === 'string'; hops++) {
      const { $ref, ...rest } = schema;
      const target = resolvePointer(this.#root, $ref as string);
      schema = isSchema(target) ? mergeSchemas(rest, target) : rest;
    }
    return isSchema(schema) ? schema : {};
  }

  #typed(type: Type, schema: Schema): string {
    switch (type) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'string':
        return this.#grammar.rule(STRING);
      case 'number':
        return this.#grammar.rule(`${sign(schema)} ${INTEGER} ${FRACTION}`);
      case 'integer':
        return this.#integer(schema);
      case 'boolean':
        return '"true" | "false"';
      case 'null':
        return '"null"';
    }
  }

  #integer(schema: Schema): string {
    const { minimum, maximum } = schema;
    if (Number.isInteger(minimum) && Number.isInteger(maximum)) {
      const from = minimum as number;
      const count = (maximum as number) - from + 1;
      if (count > 0 && count <= MAX_RANGE) {
        return oneOf(Array.from({ length: count }, (_, i) => literal(String(from + i))));
      }
    }
    return this.#grammar.rule(`${sign(schema)} ${INTEGER}`);
  }

  #object(schema: Schema): string {
    const properties = isSchema(schema.properties) ? schema.properties : {};
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const known = Object.entries(properties).filter(([key, value]) => value !== false || required.has(key));
    const others = this.#otherValues(schema);
    const member = (name: string, value: string) => `${name} ${SPACE} ":" ${SPACE} ${value}`;
    const members = known.map(([key, value]) => ({
      text: member(literal(JSON.stringify(key)), this.value(value)),
      needed: required.has(key),
    }));
    if (others !== undefined || schema.additionalProperties !== false)
      for (const key of required)
        if (typeof key === 'string' && !Object.hasOwn(properties, key))
          members.push({ text: member(literal(JSON.stringify(key)), others ?? this.#any()), needed: true });
    const other = others && this.#grammar.rule(member(this.#grammar.rule(STRING), others));
    const separator = `${SPACE} "," ${SPACE}`;
    // `after`: the members from here on, following another one; `first`: with none before.
    let after = other === undefined ? '""' : this.#grammar.rule(`(${separator} ${other})*`);
    let first = other === undefined ? '""' : this.#grammar.rule(`(${other} ${after})?`);
    for (const { text, needed } of members.reverse()) {
      const begin = `${text} ${after}`;
      first = this.#grammar.rule(needed ? begin : `${begin} | ${first}`);
      after = this.#grammar.rule(needed ? `${separator} ${begin}` : `${separator} ${begin} | ${after}`);
    }
    return this.#grammar.rule(`"{" ${SPACE} ${first} ${SPACE} "}"`);
  }

  /** The values of members that neither `properties` nor `required` names; undefined: there are none. */
  #otherValues({ properties, additionalProperties, patternProperties }: Schema): string | undefined {
    // No grammar tells which names a pattern is for.
    if (isSchema(patternProperties) && Object.keys(patternProperties).length > 0) return this.#any();
    if (isSchema(additionalProperties)) return this.value(additionalProperties);
    const open = additionalProperties === undefined && properties === undefined;
    return open || additionalProperties === true ? this.#any() : undefined;
  }

  #array({ items, prefixItems, minItems, maxItems }: Schema): string {
    const tuple = Array.isArray(prefixItems) ? prefixItems : [];
    if (tuple.length > 0 && tuple.length <= MAX_ITEMS) {
      const inner = tuple.map(item => this.value(item)).join(` ${SPACE} "," ${SPACE} `);
      return this.#grammar.rule(`"[" ${SPACE} ${inner} ${SPACE} "]"`);
    }
    const item = this.value(items ?? true);
    const least = bound(minItems) ?? 0;
    const most = bound(maxItems);
    if (most === 0) return `"[" ${SPACE} "]"`;
    const more = times(
      `${SPACE} "," ${SPACE} ${item}`,
      Math.max(0, least - 1),
      most === undefined ? undefined : Math.max(least, most) - 1,
    );
    const filled = `"[" ${SPACE} ${item} ${more} ${SPACE} "]"`;
    return this.#grammar.rule(least > 0 ? filled : `${filled} | "[" ${SPACE} "]"`);
  }

  #any(): string {
    const known = this.#referred.get('');
    if (known !== undefined) return known;
    const name = this.#grammar.reserve();
    this.#referred.set('', name);
    const kinds = ['string', 'number', 'boolean', 'null'] as const;
    const simple = kinds.map(kind => this.#grammar.rule(this.#typed(kind, {})));
    const member = `${this.#grammar.rule(STRING)} ${SPACE} ":" ${SPACE} ${name}`;
    const list = (item: string, open: string, close: string) =>
      this.#grammar.rule(
        `"${open}" ${SPACE} (${item} (${SPACE} "," ${SPACE} ${item})* ${SPACE})? "${close}"`,
      );
    this.#grammar.define(name, oneOf([...simple, list(member, '{', '}'), list(name, '[', ']')]));
    return name;
  }
}

export const SAYS_NOTHING: ReadonlySet<string> = new Set(
  '$schema $id $comment $defs definitions title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
);

/** Says nothing about the value. */
function isBare(schema: Schema): boolean {
  return Object.keys(schema).every(key => SAYS_NOTHING.has(key));
}

function jsonLiteral(value: unknown): string {
  return literal(JSON.stringify(value) ?? 'null');
}

/** No minus sign if the schema allows no negative number. */
function sign({ minimum, exclusiveMinimum }: Schema): string {
  const least = Math.max(
    typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY,
    typeof exclusiveMinimum === 'number' ? exclusiveMinimum : Number.NEGATIVE_INFINITY,
  );
  return least >= 0 ? '""' : '"-"?';
}

/** A number of items that the grammar can count to. */
function bound(value: unknown): number | undefined {
  const fits = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ITEMS;
  return fits ? (value as number) : undefined;
}

const TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

function typesOf(schema: Schema): Type[] {
  const named = [schema.type ?? []].flat().filter(type => TYPES.includes(type as string)) as Type[];
  const types = named.length > 0 ? named : impliedTypes(schema);
  return schema.nullable === true && types.length > 0 ? [...new Set([...types, 'null' as const])] : types;
}

function impliedTypes(schema: Schema): Type[] {
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : [];
}
