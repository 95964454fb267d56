import { isPlainObject } from '../../../text/json/plain-object.ts';
import { sameValue } from '../cases/typed-values.ts';

/** Texts count as equal without spaces, case and this punctuation: `April 1, 2024` and `april 1 2024`. */
export function plainText(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
}

const plain = (value: unknown) => (typeof value === 'string' ? plainText(value) : value);

const isAmong = (value: unknown, accepted: readonly unknown[]) => accepted.some(one => sameValue(value, one));

export function matchesText(value: string, accepted: readonly unknown[]): boolean {
  return isAmong(plainText(value), accepted.filter(one => typeof one === 'string').map(plain));
}

/** `''` accepts an empty list. */
export function matchesList(value: readonly unknown[], accepted: readonly unknown[]): boolean {
  const items = value.map(plain);
  return accepted.some(one => sameValue(items, itemsOf(one).map(plain)));
}

/** An accepted object has for each key its accepted values; `''` among them: the key may be missing. */
export function matchesObject(
  value: Readonly<Record<string, unknown>>,
  accepted: readonly unknown[],
): boolean {
  return accepted.some(one => isPlainObject(one) && fitsObject(value, one));
}

function fitsObject(
  value: Readonly<Record<string, unknown>>,
  accepted: Readonly<Record<string, unknown>>,
): boolean {
  const known = Object.entries(value).every(
    ([key, given]) =>
      Object.hasOwn(accepted, key) && isAmong(plain(given), itemsOf(accepted[key]).map(plain)),
  );
  return (
    known && Object.keys(accepted).every(key => Object.hasOwn(value, key) || mayBeMissing(accepted[key]))
  );
}

/** Lists of objects, in the order of the accepted one. */
export function matchesObjects(value: readonly unknown[], accepted: readonly unknown[]): boolean {
  return accepted.some(one => {
    const objects = itemsOf(one);
    if (objects.length !== value.length) return false;
    return value.every((item, index) => isPlainObject(item) && matchesObject(item, [objects[index]]));
  });
}

export function mayBeMissing(accepted: unknown): boolean {
  return accepted === '' || (Array.isArray(accepted) && accepted.includes(''));
}

/** The items of a list; of a text its characters. */
function itemsOf(value: unknown): unknown[] {
  if (typeof value === 'string') return [...value];
  return Array.isArray(value) ? value : [];
}
