// Tokens a second with a draft model over without, where the two agree on a given share of all tokens. Both have random
// weights but for the parts that decide: every token has a fixed next one, and that of the draft model is another one for
// some tokens. The replies take turns; figures are medians. Exit 1 where a reply differs.
// Usage, after `npm run bootstrap`: node scripts/measure/draft.mjs FOLDER [--agreement 0.7] [--layers 16] [--hidden 2048]
//   [--draft-layers 2] [--draft-hidden 512] [--runs 5] [--tokens 128]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';
import { bfloat16, fillWithFloats, fillWithNoise, xorshift } from './shapes/random.mjs';
import { writeSafetensors } from './shapes/safetensors.mjs';

reportUncaught();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    agreement: { type: 'string', default: '0.7' },
    layers: { type: 'string', default: '16' },
    hidden: { type: 'string', default: '2048' },
    'draft-layers': { type: 'string', default: '2' },
    'draft-hidden': { type: 'string', default: '512' },
    runs: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '128' },
  },
});
const [folder] = positionals;
const [agreement, runs, tokens] = [values.agreement, values.runs, values.tokens].map(Number);
if (folder === undefined || !(agreement >= 0 && agreement <= 1) || !(runs >= 1) || !(tokens >= 2)) {
  console.error('Usage: node scripts/measure/draft.mjs FOLDER [--agreement 0.7] [--runs 5] [--tokens 128]');
  process.exit(2);
}
const VOCABULARY = 4096;
const HEAD_DIM = 64;

/** A permutation: the token that follows each. */
function followers(seed) {
  const next = xorshift(seed);
  const order = Array.from({ length: VOCABULARY }, (_, id) => [next(), id]).sort(([a], [b]) => a - b);
  const follower = new Array(VOCABULARY);
  order.forEach(([, id], at) => {
    follower[id] = order[(at + 1) % VOCABULARY][1];
  });
  return follower;
}

/** As `follower`, but for `1 - agreement` of the tokens, whose followers are exchanged among them. */
function partlyOther(follower, seed) {
  const next = xorshift(seed);
  const others = follower.map((_, id) => id).filter(() => next() / 2 ** 32 >= agreement);
  const changed = [...follower];
  others.forEach((id, at) => {
    changed[id] = follower[others[(at + 1) % others.length]];
  });
  return changed;
}

/** A llama whose layers add nothing to the embedding of a token, from which its head finds the one that follows. */
function writeModel(name, hidden, layers, follower, seed) {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  const mlp = 4 * hidden;
  const kv = Math.max(HEAD_DIM, hidden / 4);
  const config = {
    model_type: 'llama',
    hidden_size: hidden,
    num_hidden_layers: layers,
    intermediate_size: mlp,
    num_attention_heads: hidden / HEAD_DIM,
    num_key_value_heads: kv / HEAD_DIM,
    head_dim: HEAD_DIM,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    max_position_embeddings: 4096,
    vocab_size: VOCABULARY,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
  };
  writeFileSync(join(path, 'config.json'), JSON.stringify(config, null, 2));
  const next = xorshift(seed);
  const embedding = Buffer.from(
    Uint16Array.from({ length: VOCABULARY * hidden }, () => (next() & 0x807f) | 0x3c80).buffer,
  );
  const row = id => embedding.subarray(2 * hidden * id, 2 * hidden * (id + 1));
  const head = Buffer.alloc(embedding.length);
  for (const [id, then] of follower.entries()) row(id).copy(head, 2 * hidden * then);
  const copied = source => {
    let done = 0;
    return bytes => {
      done += source.copy(bytes, 0, done, done + bytes.length);
    };
  };
  const noise = (bytes, at) => {
    fillWithNoise(bytes, at);
    fillWithFloats(bytes, 2);
  };
  const tensor = (name, shape, fill) => ({ name: `${name}.weight`, dtype: 'BF16', shape, fill });
  const ones = bytes => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2).fill(bfloat16(1));
  const zeros = bytes => bytes.fill(0);
  const layer = index => {
    const at = part => `model.layers.${index}.${part}`;
    return [
      tensor(at('input_layernorm'), [hidden], ones),
      tensor(at('post_attention_layernorm'), [hidden], ones),
      tensor(at('self_attn.q_proj'), [hidden, hidden], noise),
      tensor(at('self_attn.k_proj'), [kv, hidden], noise),
      tensor(at('self_attn.v_proj'), [kv, hidden], noise),
      tensor(at('self_attn.o_proj'), [hidden, hidden], zeros),
      tensor(at('mlp.gate_proj'), [mlp, hidden], noise),
      tensor(at('mlp.up_proj'), [mlp, hidden], noise),
      tensor(at('mlp.down_proj'), [hidden, mlp], zeros),
    ];
  };
  writeSafetensors(join(path, 'model.safetensors'), [
    tensor('model.embed_tokens', [VOCABULARY, hidden], copied(embedding)),
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
    tensor('model.norm', [hidden], ones),
    tensor('lm_head', [VOCABULARY, hidden], copied(head)),
  ]);
  return path;
}

const follower = followers(1);
const large = writeModel('large', Number(values.hidden), Number(values.layers), follower, 2);
const small = writeModel(
  'small',
  Number(values['draft-hidden']),
  Number(values['draft-layers']),
  partlyOther(follower, 3),
  4,
);

const fromDist = path => import(new URL(`../../dist/${path}`, import.meta.url));
const { readModel } = await fromDist('model/load-model.js');
const { localSource } = await fromDist('model/model-source.js');
const { loadAddon } = await fromDist('native/load-addon.js');
const { MlxEngine } = await fromDist('engine/mlx-engine.js');
const read = (path, contextLength) =>
  readModel(localSource(path, { cwd: '.' }), {
    cwd: '.',
    env: process.env,
    quantize: '4',
    contextLength,
    adapter: undefined,
  }).spec;
const open = spec => MlxEngine.create(loadAddon(), spec, { name: 'large', defaultStopIds: [] });
const engines = {
  plain: await open(read(large, 1024)),
  drafted: await open({ ...read(large, 1024), draft: read(small, 1024) }),
};

async function reply(engine, seed) {
  const next = xorshift(seed);
  const promptIds = Array.from({ length: 32 }, () => next() % VOCABULARY);
  const stream = engine.generate({ promptIds, maxTokens: tokens, lookup: false });
  const ids = [];
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done)
      return { ids, rate: (1000 * (ids.length - 1)) / step.value.timings.decodeMs, ...step.value };
    ids.push(step.value.id);
  }
}

const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];
const rounds = [];
// The first round is a warm-up, in which the governor measures.
for (let run = 0; run <= runs; run += 1) {
  const [plain, drafted] = [await reply(engines.plain, 100 + run), await reply(engines.drafted, 100 + run)];
  if (plain.ids.join() !== drafted.ids.join()) {
    console.error(`run ${run}: the replies differ`);
    process.exitCode = 1;
  }
  if (run > 0) rounds.push({ plain, drafted });
}
const { proposed, accepted, passes } = rounds
  .map(({ drafted }) => drafted.decoding)
  .reduce((a, b) => ({
    proposed: a.proposed + b.proposed,
    accepted: a.accepted + b.accepted,
    passes: a.passes + b.passes,
  }));
const rates = name => median(rounds.map(round => round[name].rate)).toFixed(1);
console.log('agreement, tokens a second without / with, ratio, tokens a pass, accepted of proposed');
console.log(
  [
    agreement,
    `${rates('plain')} / ${rates('drafted')}`,
    median(rounds.map(({ plain, drafted }) => drafted.rate / plain.rate)).toFixed(2),
    ((runs * (tokens - 1)) / passes).toFixed(2),
    `${accepted} of ${proposed}`,
  ].join(', '),
);
await Promise.all(Object.values(engines).map(engine => engine.close()));
