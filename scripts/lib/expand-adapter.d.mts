export function expandAdapter(bytes: Buffer): Buffer;
