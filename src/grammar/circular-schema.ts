import { resolvePointer } from '../parse/json/json-pointer.ts';
import { isSchema } from './schema-merge.ts';

/**
 * Whether a schema refers to itself for the very same value, not for one inside it, so that nothing is ever said of that
 * value: `{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`.
 */
export function isCircular(root: unknown, schema: unknown): boolean {
  const passed = new Set<string>();
  const open = new Set<string>();
  return leadsBack(schema);

  function leadsBack(part: unknown): boolean {
    if (!isSchema(part)) return false;
    const branches = [part.anyOf, part.oneOf, part.allOf].flatMap(list => (Array.isArray(list) ? list : []));
    return branches.some(leadsBack) || (typeof part.$ref === 'string' && refersBack(part.$ref));
  }

  function refersBack(pointer: string): boolean {
    if (open.has(pointer)) return true;
    if (passed.has(pointer)) return false;
    open.add(pointer);
    const back = leadsBack(resolvePointer(root, pointer));
    open.delete(pointer);
    passed.add(pointer);
    return back;
  }
}
