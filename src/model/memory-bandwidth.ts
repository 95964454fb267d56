import { cpus } from 'node:os';

export interface MemoryBandwidth {
  /** Bytes per second. */
  readonly bytesPerSecond: number;
  /** How the figure is known, in words. */
  readonly origin: string;
}

/** GB/s by Apple's specifications; the smaller figure where one name stands for two chips. */
const APPLE_CHIPS: readonly (readonly [RegExp, number])[] = [
  [/M3 Ultra/, 819],
  [/M[12] Ultra/, 800],
  [/M5 Max/, 460],
  [/M4 Max/, 410],
  [/M3 Max/, 300],
  [/M[12] Max/, 400],
  [/M5 Pro/, 307],
  [/M4 Pro/, 273],
  [/M3 Pro/, 150],
  [/M[12] Pro/, 200],
  [/M5/, 153],
  [/M4/, 120],
  [/M[23]/, 100],
  [/M1/, 68],
];

const COPY_BYTES = 64 * 1024 * 1024;
const COPIES = 4;

let measured: number | undefined;

/** The chip's specified bandwidth, or else that of a copy by one thread, measured once (about 50 ms). */
export function memoryBandwidth(processor = cpus()[0]?.model ?? ''): MemoryBandwidth {
  const chip = APPLE_CHIPS.find(([name]) => processor.startsWith('Apple') && name.test(processor));
  if (chip) return { bytesPerSecond: chip[1] * 1e9, origin: `assumed for ${processor}` };
  measured ??= copyBandwidth();
  return { bytesPerSecond: measured, origin: 'measured with one thread' };
}

/** Bytes per second; a copy reads and writes. */
function copyBandwidth(): number {
  const from = Buffer.alloc(COPY_BYTES, 1);
  const to = Buffer.alloc(COPY_BYTES);
  from.copy(to);
  const seconds = Array.from({ length: COPIES }, () => {
    const start = performance.now();
    from.copy(to);
    return (performance.now() - start) / 1000;
  });
  return (2 * COPY_BYTES) / Math.min(...seconds);
}
