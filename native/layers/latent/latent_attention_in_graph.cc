// Multi-head latent attention by MLX's operations.

#include "layers/attention/positions.h"
#include "layers/attention/sequence_rows.h"
#include "layers/latent/columns.h"
#include "layers/latent/latent_attention.h"

namespace llm_host {

mx::array LatentAttention::attend_each(const Projected& p, std::span<const Row> rows) const {
  std::vector<mx::array> outs;
  WindowMasks masks;
  HeadPositions positions;
  for (int i = 0; i < static_cast<int>(rows.size());) {
    int count = tokens_of_one(rows.subspan(static_cast<size_t>(i)));
    auto own = [&](const mx::array& x) {
      return mx::slice(x, {0, i, 0}, {1, i + count, x.shape(2)});
    };
    const Row& row = rows[static_cast<size_t>(i)];
    outs.push_back(attend_in_graph({own(p.queries), own(p.latents), own(p.keys)},
                                   {row.angles, masks, positions, count}, row.cache));
    i += count;
  }
  return mx::concatenate(outs, 1);
}

mx::array LatentAttention::attend_in_graph(const Projected& p, const AttentionStep& step,
                                           LatentCache& cache) const {
  const LatentAttentionOptions& o = options_;
  int length = p.keys.shape(1), outputs = step.outputs, offset = cache.length();
  mx::array key = step.angles.rotate(mx::reshape(p.keys, {1, 1, length, o.rotary_dim}), offset);
  mx::array latents = mx::reshape(p.latents, {1, 1, length, o.rank});
  mx::array rows = cache.append(mx::concatenate({key, latents}, -1));
  int size = o.plain_dim + o.rotary_dim;
  mx::array q = mx::transpose(
      mx::reshape(last_positions(p.queries, outputs), {1, outputs, o.heads, size}), {0, 2, 1, 3});
  int first = offset + length - outputs;
  q = o.growth.apply(q, positions_from(first, outputs));
  mx::array rotary = step.angles.rotate(columns(q, o.plain_dim, size), first);
  mx::array plain = columns(q, 0, o.plain_dim);
  mx::array y = expands(outputs, rows.shape(2)) ? attend_to_heads(rotary, plain, rows)
                                                : attend_to_rows(rotary, plain, rows, step.masks);
  return mx::reshape(mx::transpose(y, {0, 2, 1, 3}), {1, outputs, o.heads * o.value_dim});
}

bool LatentAttention::expands(int queries, int rows) const {
  const LatentAttentionOptions& o = options_;
  double pairs = static_cast<double>(queries) * rows,
         matrices = o.rank * (o.plain_dim + o.value_dim);
  double to_heads = pairs * (o.plain_dim + o.rotary_dim + o.value_dim) + rows * matrices;
  double to_rows = pairs * (width() + o.rank) + queries * matrices;
  return to_heads < to_rows;
}

mx::array LatentAttention::attend_to_heads(const mx::array& rotary, const mx::array& plain,
                                           const mx::array& rows) const {
  const LatentAttentionOptions& o = options_;
  int total = rows.shape(2);
  mx::array latents = columns(rows, o.rotary_dim, width());
  mx::array shared =
      mx::broadcast_to(columns(rows, 0, o.rotary_dim), {1, o.heads, total, o.rotary_dim});
  mx::array keys = mx::concatenate({shared, heads_.to_latent.backwards(latents)}, -1);
  return mx::fast::scaled_dot_product_attention(mx::concatenate({rotary, plain}, -1), keys,
                                                heads_.from_latent(latents), o.scale, "causal");
}

// MLX's fused attention takes no heads of this size. The heads are side by side, so that a row is
// read once for all of them.
mx::array LatentAttention::attend_to_rows(const mx::array& rotary, const mx::array& plain,
                                          const mx::array& rows, WindowMasks& masks) const {
  const LatentAttentionOptions& o = options_;
  int outputs = plain.shape(2), total = rows.shape(2);
  mx::array q = mx::concatenate({rotary, heads_.to_latent(plain)}, -1);
  mx::array scaled = mx::multiply(q, mx::array(o.scale, q.dtype()));
  mx::array scores = mx::matmul(mx::reshape(scaled, {1, 1, o.heads * outputs, width()}),
                                mx::swapaxes(rows, -1, -2));
  scores = mx::reshape(scores, {1, o.heads, outputs, total});
  if (outputs > 1) {
    mx::array lowest(mx::finfo(scores.dtype()).min, scores.dtype());
    scores = mx::where(masks.get(outputs, total, total), scores, lowest);
  }
  mx::array weights = mx::reshape(mx::softmax(scores, -1, true), {1, 1, o.heads * outputs, total});
  mx::array sums = mx::matmul(weights, columns(rows, o.rotary_dim, width()));
  return heads_.from_latent(mx::reshape(sums, {1, o.heads, outputs, o.rank}));
}

}  // namespace llm_host
