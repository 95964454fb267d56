/** A number of bytes for people: in GB, MB, kB rounded up, or as it is. */
export function byteSize(bytes: number): string {
  if (bytes >= 999_950_000) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes > 999_000) return `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes >= 1000) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}
