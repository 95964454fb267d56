import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadAddon } from '../../../src/native/load-addon.ts';
import type { LoadSpec } from '../../../src/native/load-types.ts';
import { isObject } from '../../../src/text/files/json-file.ts';
import { readNamed } from '../../model/read-named.ts';
import { generate } from '../native-run.ts';

/** What scripts/goldens/gguf_peer.py wrote: llama.cpp's own greedy replies, with each token's log-probability. */
interface PeerFile {
  readonly architecture: string;
  readonly file: string;
  readonly cases: readonly {
    readonly prompt: readonly number[];
    readonly ids: readonly number[];
    readonly logprobs: readonly number[];
  }[];
}

const FILES: readonly PeerFile[] = JSON.parse(
  readFileSync(new URL('gguf-llama-cpp.json', import.meta.url), 'utf8'),
);

/** llama.cpp rounds the boundaries of yarn, which gpt-oss's own config.json says not to do. */
function asLlamaCpp(spec: LoadSpec): LoadSpec {
  const { rope_scaling: scaling } = spec.config;
  if (!isObject(scaling) || scaling.truncate !== false) return spec;
  return { ...spec, config: { ...spec.config, rope_scaling: { ...scaling, truncate: true } } };
}

test.each(FILES.map(file => [file.architecture, file] as const))(
  '%s equals llama.cpp',
  async (architecture, { file, cases }) => {
    const path = fileURLToPath(new URL(`../../fixtures/families/${file}`, import.meta.url));
    const options = { cwd: process.cwd(), env: process.env, contextLength: 0, exact: true };
    // llama.cpp takes GELU from a table of float16; random weights exaggerate that.
    const near = architecture === 'gemma4' ? 1e-2 : 1e-4;
    const model = await loadAddon().load(asLlamaCpp(readNamed(path, options).spec), () => {});
    try {
      for (const { prompt, ids, logprobs } of cases) {
        const tokens = await generate(model, prompt, ids.length);
        expect(tokens.map(t => t.id)).toEqual(ids);
        for (const [i, token] of tokens.entries()) {
          expect(Math.abs((token.logprob as number) - (logprobs[i] as number))).toBeLessThan(near);
        }
      }
    } finally {
      await model.close();
    }
  },
);
