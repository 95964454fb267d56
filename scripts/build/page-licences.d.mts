/** The part of a plugin of vite that is used here. */
export function bundledLicences(fileName: string): {
  name: string;
  generateBundle(
    this: { emitFile(file: object): void },
    options: object,
    output: Readonly<Record<string, { readonly modules?: Readonly<Record<string, object>> }>>,
  ): void;
};
