/** A larger definition of a tool, or schema of a reply, costs every prompt more than it can give back. */
const MAX_BYTES = 32 * 1024;
const MAX_LEVELS = 64;

/**
 * How a definition breaks the limits (32 KB as JSON, 64 levels), as the end of a sentence about it; undefined if it
 * keeps them. Walks with a stack of its own, since the value may be nested deeper than calls can be, and stops as soon
 * as a limit is passed.
 */
export function definitionSizeFault(definition: unknown): string | undefined {
  const rest: { value: unknown; level: number }[] = [{ value: definition, level: 1 }];
  let bytes = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value, level } = next;
    if (typeof value !== 'object' || value === null) {
      bytes += typeof value === 'string' ? sizeOf(value) : String(value).length;
    } else {
      if (level > MAX_LEVELS) return `is nested deeper than ${MAX_LEVELS} levels`;
      const isList = Array.isArray(value);
      bytes += 2;
      for (const key of Object.keys(value)) {
        bytes += isList ? 1 : sizeOf(key) + 2;
        if (bytes > MAX_BYTES) break;
        rest.push({ value: (value as Record<string, unknown>)[key], level: level + 1 });
      }
    }
    if (bytes > MAX_BYTES) return `is larger than ${MAX_BYTES / 1024} KB`;
  }
  return undefined;
}

function sizeOf(text: string): number {
  return text.length > MAX_BYTES ? text.length : Buffer.byteLength(JSON.stringify(text));
}
