import { dirname, join } from 'node:path';
import { IS_CHECKOUT, PLATFORM_PACKAGES } from './optional-package.ts';

/** One file that could not be loaded. */
export interface LoadFailure {
  readonly path: string;
  readonly reason: string;
}

const BOOTSTRAP = IS_CHECKOUT
  ? 'Run: npm run bootstrap'
  : `Install it: npm install ${PLATFORM_PACKAGES.at(-1)} (npm leaves it out with --omit=optional or --no-optional)`;
const REBUILD = IS_CHECKOUT
  ? 'Remove the folders build and vendor, then run: npm run bootstrap'
  : 'Remove node_modules, then install again: npm install';

/** A package for CUDA lists NVIDIA's libraries, which it may not contain, for pip. */
function nvidiaLibraries(addon: string): string {
  if (IS_CHECKOUT) return "NVIDIA's libraries are missing. Run: npm run bootstrap -- --backend cuda";
  const folder = join(dirname(addon), '..', '..');
  const list = join(folder, 'nvidia-requirements.list');
  return `NVIDIA's libraries are missing. Run: python3 -m pip install --no-deps --target ${join(folder, 'vendor')} -r ${list}`;
}

/** dlopen's reasons on Linux and macOS, with their fixes. The first match counts. */
const FIXES: readonly { readonly when: RegExp; readonly fix: string | ((path: string) => string) }[] = [
  { when: /lib(cublas|cudnn|cufft|cusolver|cusparse|nccl|nvrtc|nvJitLink)\w*\.so/, fix: nvidiaLibraries },
  { when: /libcuda\.so/, fix: "There is no NVIDIA driver here. Install NVIDIA's, version 580 or newer." },
  {
    when: /GLIBC_2\.\d+.*not found/,
    fix: 'It needs glibc 2.35 or newer: Ubuntu 22.04, Debian 12, Fedora 36 or newer.',
  },
  {
    when: /(GLIBCXX|CXXABI)_[\d.]+.*not found/,
    fix: `The C++ library is older than the compiler that built the addon. ${REBUILD}`,
  },
  { when: /built for MLX/, fix: `The addon was built for another version of MLX. ${REBUILD}` },
  {
    when: /undefined symbol|Symbol not found/,
    fix: `The addon was built for another version of MLX. ${REBUILD}`,
  },
  { when: /libmlx|mlx_cpu\.libs/, fix: `The MLX library is missing. ${BOOTSTRAP}` },
  {
    when: /invalid ELF header|wrong ELF class|incompatible architecture|not a mach-o|slice is not valid|Exec format/i,
    fix: `It was built for another kind of machine (this is ${process.platform} ${process.arch}). ${REBUILD}`,
  },
  { when: /file too short/, fix: `The file is cut off. ${REBUILD}` },
  { when: /did not self-register|NODE_MODULE_VERSION|not an addon/, fix: REBUILD },
  { when: /no such file/, fix: BOOTSTRAP },
];

/**
 * Advice about an addon that does not load, one line per cause.
 * @param glibc version of the running C library; null if it is not glibc (Linux only)
 */
export function loadHint(
  failures: readonly LoadFailure[],
  glibc: string | null | undefined = runtimeGlibc(),
): string {
  const system = systemHint(glibc);
  if (system) return system;
  const fixes = failures.map(fixFor);
  if (process.env.LLM_HOST_ADDON) fixes.push('Or unset LLM_HOST_ADDON to use the local build.');
  return [...new Set(fixes)].join('\n');
}

function fixFor({ path, reason }: LoadFailure): string {
  const { fix = BOOTSTRAP } = FIXES.find(({ when }) => when.test(reason)) ?? {};
  return typeof fix === 'string' ? fix : fix(path);
}

/** Says that these builds were passed over for a lesser one that loads, and how to get them to load. */
export function describeFailures(failures: readonly LoadFailure[]): string {
  const reasons = failures.map(({ path, reason }) => `${path}: ${reason}`);
  return `A faster build of the engine does not load; a plainer one runs. ${reasons.join('; ')}. ${loadHint(failures)}`;
}

function systemHint(glibc: string | null | undefined): string | undefined {
  if (glibc === null)
    return 'MLX for Linux needs glibc (Debian, Ubuntu, Fedora); musl systems such as Alpine do not have it.';
  const [major = 0, minor = 0] = glibc?.split('.').map(Number) ?? [];
  if (glibc === undefined || major > 2 || (major === 2 && minor >= 35)) return undefined;
  return `This system has glibc ${glibc}; 2.35 or newer is needed (Ubuntu 22.04, Debian 12, Fedora 36 or newer).`;
}

/** undefined on other systems than Linux. */
function runtimeGlibc(): string | null | undefined {
  if (process.platform !== 'linux') return undefined;
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime ?? null;
}
