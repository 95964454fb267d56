import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * The parser of JSON with comments, loaded lazily: a GGUF file without a configuration never needs it. An `import` of
 * CommonJS would start Node's WebAssembly lexer, which takes 3 MB.
 */
export function jsonc(): typeof import('jsonc-parser') {
  return require('jsonc-parser');
}
