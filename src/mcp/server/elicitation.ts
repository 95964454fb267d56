import { cleanText, isCleanName, TEXT_LIMITS } from './incoming-text.ts';

/** Nobody fills in a longer form. */
const MAX_FIELDS = 50;
const MAX_CHOICES = 200;

/**
 * A server's question to the user: to fill in a form (a flat JSON Schema object), or to open an address by themselves,
 * for what must not pass through this program.
 */
export interface ElicitationRequest {
  readonly server: string;
  readonly message: string;
  /** http or https. Nothing opens it but the user. */
  readonly url?: string;
  readonly fields: readonly ElicitationField[];
}

/** A field of a form. */
export interface ElicitationField {
  readonly name: string;
  readonly required: boolean;
  /** `boolean`, `number`, `integer`, `string`, or `array` (several of the choices). */
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** The accepted values, with labels. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The field's JSON Schema, for limits such as `minLength`, `maximum`, `format`. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

/** Asks the user. The signal aborts when the server no longer waits. */
export type Elicit = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;

type Json = Readonly<Record<string, unknown>>;

/**
 * The fields of a form in schema order, without nested ones, names with hidden characters and anything that is not an
 * object.
 */
export function elicitationFields(schema: unknown): readonly ElicitationField[] {
  const { properties, required } = objectOf(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  const named = Object.entries(objectOf(properties)).filter(([name]) => isCleanName(name));
  return named.slice(0, MAX_FIELDS).flatMap(([name, value]) => {
    const field = objectOf(value);
    const type = typeof field.type === 'string' ? field.type : 'string';
    if (type === 'object') return [];
    const choices = choicesOf(type === 'array' ? objectOf(field.items) : field);
    return [
      {
        name,
        type,
        required: needed.has(name),
        schema: field,
        ...(typeof field.title === 'string' && { title: fieldText(field.title) }),
        ...(typeof field.description === 'string' && { description: fieldText(field.description) }),
        ...(field.default !== undefined && { default: cleanDefault(field.default) }),
        ...(choices.length > 0 && { choices }),
      },
    ];
  });
}

function fieldText(text: string): string {
  return cleanText(text, TEXT_LIMITS.field);
}

/** Shown to the user, who may give it back as the answer. */
function cleanDefault(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_CHOICES).map(cleanDefault);
  return typeof value === 'string' ? fieldText(value) : value;
}

/** `enum` with or without `enumNames`, or titled constants in `oneOf` or `anyOf`. */
function choicesOf(schema: Json): { value: string; label: string }[] {
  const titled = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(titled)) {
    return titled
      .slice(0, MAX_CHOICES)
      .map(objectOf)
      .flatMap(({ const: value, title }) => {
        if (typeof value !== 'string') return [];
        return [{ value, label: fieldText(typeof title === 'string' ? title : value) }];
      });
  }
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  const values = Array.isArray(schema.enum) ? schema.enum.slice(0, MAX_CHOICES) : [];
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const label = names[index];
    return [{ value, label: fieldText(typeof label === 'string' ? label : value) }];
  });
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
