import { familyNames, type Variant, variantsOf } from './decoders/family-cases.ts';

/** A tiny model of each kind of layer, by family and variant, with what it has of its own. */
const LAYER_KINDS: Readonly<Record<string, string>> = {
  'llama/plain': 'full attention, an output matrix of its own',
  'mistral/window': 'a sliding window in each layer, the embedding as output matrix',
  'gemma2/windows': 'windows and full attention by turns, capped logits',
  'gemma3n_text/sharing': 'keys and values shared by layers',
  'deepseek_v3/plain': 'latent attention (MLA), experts behind a dense layer',
  'gpt_oss/plain': 'attention sinks, experts with biases',
  'qwen3_moe/plain': 'experts in each layer',
  'granitemoehybrid/hybrid': 'Mamba-2 layers',
  'falcon_h1/multiplied': 'Mamba-2 and attention side by side in a layer',
  'qwen3_next/dense': 'Gated DeltaNet layers',
  'lfm2/plain': 'short convolutions',
  'cohere2/listed': 'attention and MLP side by side',
  'qwen3/mlx': 'quantized weights',
};

const isWhole = process.env.TEST_MATRIX === 'all';

export type Case = readonly [name: string, family: string, variant: Variant];

function casesOf(family: string): readonly Case[] {
  return variantsOf(family).map(variant => [`${family}/${variant.name}`, family, variant]);
}

function kinds(): readonly Case[] {
  const families = new Set(Object.keys(LAYER_KINDS).map(name => name.split('/')[0] as string));
  return [...families].flatMap(casesOf).filter(([name]) => name in LAYER_KINDS);
}

export const allVariants = (): readonly Case[] => familyNames().flatMap(casesOf);

/** Each kind of layer; every variant of every family with TEST_MATRIX=all (`npm run test:all`). */
export const everyVariant = (): readonly Case[] => (isWhole ? allVariants() : kinds());

/** Each kind of layer; the first variant of every family with TEST_MATRIX=all. */
export const everyFamily = (): readonly Case[] =>
  isWhole ? familyNames().flatMap(family => casesOf(family).slice(0, 1)) : kinds();
