import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type * as Module from '@mlc-ai/web-xgrammar';

export type XGrammar = typeof Module;

/**
 * Loads the library as a browser worker would: it is a UMD script in a package marked as ESM, so neither `import` nor
 * `require` works. `onMessage` gets what it prints.
 */
export function loadXGrammar(onMessage: (text: string) => void): XGrammar {
  const filename = createRequire(import.meta.url).resolve('@mlc-ai/web-xgrammar');
  const exports = {};
  const location = { href: 'file:///xgrammar.js' };
  const print = (...parts: unknown[]) => onMessage(parts.map(String).join(' '));
  const scope = {
    exports,
    module: { exports },
    process: undefined,
    importScripts: () => undefined,
    location,
    self: { location },
    console: { log: print, info: print, warn: print, error: print },
  };
  const run = compileFunction(readFileSync(filename, 'utf8'), Object.keys(scope), { filename });
  run(...Object.values(scope));
  return exports as XGrammar;
}
