import { isPlainObject } from '../../text/json/plain-object.ts';
import { percentDecoded } from '../../text/percent-decoded.ts';

/** Resolves `#/$defs/name` and the like in `root`; undefined for anything else. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  if (pointer !== '#' && !pointer.startsWith('#/')) return undefined;
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((value, key) => {
    const name = percentDecoded(key).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) return value[Number(name)];
    return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, root);
}
