/** A form that a server asks the user to fill in: a message and a flat JSON Schema object. */
export interface ElicitationRequest {
  readonly server: string;
  readonly message: string;
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
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

/** Asks the user. The signal aborts when the server no longer waits. */
export type Elicit = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;

type Json = Readonly<Record<string, unknown>>;

/** The fields of a form in schema order, without nested ones and anything that is not an object. */
export function elicitationFields(schema: unknown): readonly ElicitationField[] {
  const { properties, required } = objectOf(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(objectOf(properties)).flatMap(([name, value]) => {
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
        ...(typeof field.title === 'string' && { title: field.title }),
        ...(typeof field.description === 'string' && { description: field.description }),
        ...(field.default !== undefined && { default: field.default }),
        ...(choices.length > 0 && { choices }),
      },
    ];
  });
}

/** `enum` with or without `enumNames`, or titled constants in `oneOf` or `anyOf`. */
function choicesOf(schema: Json): { value: string; label: string }[] {
  const titled = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(titled)) {
    return titled.map(objectOf).flatMap(({ const: value, title }) => {
      if (typeof value !== 'string') return [];
      return [{ value, label: typeof title === 'string' ? title : value }];
    });
  }
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const label = names[index];
    return [{ value, label: typeof label === 'string' ? label : value }];
  });
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
