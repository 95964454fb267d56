/** What macho_symbols.py says of a Mach-O file. */
export interface Described {
  readonly cpu: string;
  readonly name: string;
  readonly minimum: string;
  readonly signed: boolean;
  readonly libraries: readonly string[];
  readonly type?: string;
  readonly rpaths?: readonly string[];
  readonly imports?: readonly string[];
}

export function addonFaults(addon: Described): string[];
export function libraryFaults(
  library: Described,
  name: string,
  build: { readonly package: string; readonly minimum: string; readonly libraries: readonly string[] },
): string[];
export function objcFaults(
  addon: Pick<Required<Described>, 'imports'>,
  libmlx: Pick<Described, 'libraries'>,
  build: { readonly package: string },
): string[];
export function occurrences(path: string, text: string): Promise<number>;
