import type { Tensor, TinyModel } from '../tiny/tiny-model.ts';

/**
 * The log-probabilities after `ids`, computed in float64 straight from the formulas: no cache, no chunks, no
 * kernels.
 */
export function referenceLogprobs(model: TinyModel, ids: readonly number[]): Float64Array {
  const { config: c } = model;
  const embedding = tensor(model, 'model.embed_tokens.weight');
  let hidden: Float64Array[] = ids.map(id =>
    embedding.values.slice(id * c.hidden_size, (id + 1) * c.hidden_size),
  );
  for (let i = 0; i < c.num_hidden_layers; i++) {
    const path = `model.layers.${i}`;
    const attended = attention(
      model,
      i,
      hidden.map(h => norm(model, `${path}.input_layernorm`, h)),
    );
    hidden = hidden.map((h, t) => add(h, attended[t] as Float64Array));
    hidden = hidden.map(h =>
      add(h, mlp(model, `${path}.mlp`, norm(model, `${path}.post_attention_layernorm`, h))),
    );
  }
  const head = c.tie_word_embeddings === false ? 'lm_head' : 'model.embed_tokens';
  const logits = linear(model, head, norm(model, 'model.norm', hidden.at(-1) as Float64Array));
  const top = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - top), 0);
  return logits.map(logit => logit - top - Math.log(sum));
}

function tensor(model: TinyModel, name: string): Tensor {
  const found = model.tensors.get(name);
  if (!found) throw new Error(`the test's model has no ${name}`);
  return found;
}

function add(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value + (b[i] as number));
}

function norm(model: TinyModel, path: string, x: Float64Array): Float64Array {
  const weight = tensor(model, `${path}.weight`).values;
  const mean = x.reduce((sum, value) => sum + value * value, 0) / x.length;
  const scale = 1 / Math.sqrt(mean + model.config.rms_norm_eps);
  return x.map((value, i) => value * scale * (weight[i] as number));
}

function linear(model: TinyModel, path: string, x: Float64Array): Float64Array {
  const y = product(tensor(model, `${path}.weight`), x);
  const bias = model.tensors.get(`${path}.bias`);
  const plain = bias ? add(y, bias.values) : y;
  const down = model.adapter?.tensors.get(`${path}.lora_a`);
  const up = model.adapter?.tensors.get(`${path}.lora_b`);
  if (!down || !up || !model.adapter) return plain;
  const delta = product(transposed(up), product(transposed(down), x));
  return add(
    plain,
    delta.map(value => value * (model.adapter?.scale ?? 0)),
  );
}

function product({ shape, values }: Tensor, x: Float64Array): Float64Array {
  const [rows = 0, cols = 0] = shape;
  return Float64Array.from({ length: rows }, (_, r) => {
    let sum = 0;
    for (let c = 0; c < cols; c++) sum += (values[r * cols + c] as number) * (x[c] as number);
    return sum;
  });
}

function transposed({ shape, values }: Tensor): Tensor {
  const [rows = 0, cols = 0] = shape;
  const turned = values.map((_, i) => values[(i % rows) * cols + Math.floor(i / rows)] as number);
  return { shape: [cols, rows], values: turned };
}

function mlp(model: TinyModel, path: string, x: Float64Array): Float64Array {
  const gate = linear(model, `${path}.gate_proj`, x);
  const up = linear(model, `${path}.up_proj`, x);
  return linear(
    model,
    `${path}.down_proj`,
    gate.map((g, i) => (g / (1 + Math.exp(-g))) * (up[i] as number)),
  );
}

function attention(model: TinyModel, layer: number, inputs: Float64Array[]): Float64Array[] {
  const { config: c } = model;
  const path = `model.layers.${layer}.self_attn`;
  const queries = inputs.map((x, t) => rotateHeads(model, linear(model, `${path}.q_proj`, x), t));
  const keys = inputs.map((x, t) => rotateHeads(model, linear(model, `${path}.k_proj`, x), t));
  const values = inputs.map(x => linear(model, `${path}.v_proj`, x));
  const window = windowOf(model, layer);
  return inputs.map((_, t) => {
    const joined = new Float64Array(c.num_attention_heads * c.head_dim);
    for (let head = 0; head < c.num_attention_heads; head++) {
      const kv = Math.floor((head * c.num_key_value_heads) / c.num_attention_heads);
      const at = head * c.head_dim;
      const from = kv * c.head_dim;
      const first = Math.max(0, t + 1 - window);
      const q = queries[t] as Float64Array;
      const seen = keys.slice(first, t + 1).map(k => dot(q, at, k, from, c.head_dim) / Math.sqrt(c.head_dim));
      const top = Math.max(...seen);
      const weights = seen.map(score => Math.exp(score - top));
      const sum = weights.reduce((a, b) => a + b, 0);
      weights.forEach((weight, j) => {
        const v = values[first + j] as Float64Array;
        for (let i = 0; i < c.head_dim; i++)
          joined[at + i] = (joined[at + i] as number) + (weight / sum) * (v[from + i] as number);
      });
    }
    return linear(model, `${path}.o_proj`, joined);
  });
}

function dot(a: Float64Array, atA: number, b: Float64Array, atB: number, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += (a[atA + i] as number) * (b[atB + i] as number);
  return sum;
}

function windowOf({ config: c }: TinyModel, layer: number): number {
  if (c.layer_types && c.layer_types[layer] !== 'sliding_attention') return Number.POSITIVE_INFINITY;
  if (!c.layer_types && c.model_type === 'llama') return Number.POSITIVE_INFINITY;
  return c.sliding_window ?? Number.POSITIVE_INFINITY;
}

function rotateHeads({ config: c }: TinyModel, x: Float64Array, position: number): Float64Array {
  const half = c.head_dim / 2;
  return x.map((value, i) => {
    const channel = i % c.head_dim;
    const angle = position * frequency(c, channel % half);
    const other = x[channel < half ? i + half : i - half] as number;
    return value * Math.cos(angle) + (channel < half ? -other : other) * Math.sin(angle);
  });
}

function frequency(c: TinyModel['config'], pair: number): number {
  const theta = Number(c.rope_parameters?.rope_theta ?? c.rope_theta);
  const plain = theta ** ((-2 * pair) / c.head_dim);
  const scaling = (c.rope_parameters ?? c.rope_scaling ?? {}) as Record<string, unknown>;
  const type = scaling.rope_type ?? scaling.type ?? 'default';
  const factor = Number(scaling.factor);
  if (type === 'linear') return plain / factor;
  if (type !== 'llama3') return plain;
  const [low, high] = [Number(scaling.low_freq_factor), Number(scaling.high_freq_factor)];
  const original = Number(scaling.original_max_position_embeddings);
  const wavelength = (2 * Math.PI) / plain;
  if (wavelength > original / low) return plain / factor;
  if (wavelength < original / high) return plain;
  const smooth = (original / wavelength - low) / (high - low);
  return ((1 - smooth) * plain) / factor + smooth * plain;
}
