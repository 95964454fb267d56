/** Tells whether a value has a type. */
export type Is<T> = (value: unknown) => value is T;

const isType =
  <T>(name: string): Is<T> =>
  (value): value is T =>
    typeof value === name;

export const text = isType<string>('string');
export const number = isType<number>('number');
export const boolean = isType<boolean>('boolean');
/** A field that is never sent, which its type allows. */
export const absent: Is<undefined> = (value): value is undefined => value === undefined;
export const none: Is<null> = (value): value is null => value === null;

export const empty: Is<never[]> = (value): value is never[] => Array.isArray(value) && value.length === 0;

export const one =
  <const T extends string | boolean>(...values: readonly T[]): Is<T> =>
  (value): value is T =>
    (values as readonly unknown[]).includes(value);

export const list =
  <T>(is: Is<T>): Is<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(is);

export const either =
  <A, B>(a: Is<A>, b: Is<B>): Is<A | B> =>
  (value): value is A | B =>
    a(value) || b(value);

/** A check for each field of a type; a field that the type has and the checks have not does not compile. */
export type Shape<T> = { readonly [Name in keyof T]-?: Is<T[Name]> };

export const shape =
  <T>(fields: Shape<T>): Is<T> =>
  (value): value is T =>
    faults(fields, value).length === 0;

/** The fields that do not have their types, with what they have. */
export function faults<T>(fields: Shape<T>, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [`no object: ${value}`];
  return Object.entries<Is<unknown>>(fields as Readonly<Record<string, Is<unknown>>>).flatMap(
    ([name, is]) => {
      const found = (value as Readonly<Record<string, unknown>>)[name];
      return is(found) ? [] : [`${name}: ${JSON.stringify(found)}`];
    },
  );
}
