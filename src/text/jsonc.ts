import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * The parser of JSON with comments, loaded when it is first needed: a GGUF file without a configuration never does. An
 * `import` of CommonJS would start a WebAssembly module that lists what it exports, which takes 3 MB.
 */
export function jsonc(): typeof import('jsonc-parser') {
  return require('jsonc-parser');
}
