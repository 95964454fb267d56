#include "common/device_policy.h"
#include "common/launch_groups.h"
#include "kernels/ops.h"
#include "layers/attention/attention.h"
#include "layers/attention/positions.h"

// Attention by MLX's operations.
namespace llm_host {
namespace {

std::vector<mx::array> capped_scores(const std::vector<mx::array>& in) {
  return {mx::multiply(mx::tanh(mx::divide(in[0], in[1])), in[1])};
}

}  // namespace

Attention::Projected Attention::rotated_together(const mx::array& side_by_side,
                                                 const AttentionStep& step, int offset) const {
  const AttentionOptions& o = options_;
  const RopeAngles& angles = step.angles;
  int outputs = step.outputs;
  int length = side_by_side.shape(1), rotated = o.heads + o.kv_heads, all = rotated + o.kv_heads;
  mx::array heads = mx::transpose(mx::reshape(side_by_side, {1, length, all, o.head_dim}),
                                  {0, 2, 1, 3});  // [1, heads, L, head_dim]
  auto part = [&](const mx::array& y, int begin, int end, int count) {
    return mx::slice(y, {0, begin, length - count, 0}, {1, end, length, o.head_dim});
  };
  mx::array both = part(heads, 0, rotated, length);
  both = angles.rotate(query_norm_ ? normed_together(both) : both, offset);
  mx::array q = part(both, 0, o.heads, outputs);
  return {finished(q, offset + length - outputs), part(both, o.heads, rotated, length),
          part(heads, rotated, all, length)};
}

mx::array Attention::normed_together(const mx::array& heads) const {
  mx::array normed = one_launch("RMSNorm", {heads}, [&] {
    return mx::fast::rms_norm(heads, std::nullopt, query_norm_->eps());
  });
  return head_weights_ ? mx::multiply(normed, *head_weights_) : normed;
}

Attention::Projected Attention::rotated_heads(const Projected& p, const AttentionStep& step,
                                              int offset) const {
  if (p.size() == 1 && !cpu::usable()) return rotated_together(p[0], step, offset);
  if (p.size() == 1) return rotated_heads(split(p[0]), step, offset);
  return {rotated_queries(p[0], step, offset),
          step.angles.rotate(split_heads(p[1], options_.kv_heads), offset),
          split_heads(p[2], options_.kv_heads)};
}

mx::array Attention::split_heads(const mx::array& x, int heads) const {
  return mx::transpose(mx::reshape(x, {1, x.shape(1), heads, options_.head_dim}), {0, 2, 1, 3});
}

mx::array Attention::merged_heads(const mx::array& y) const {
  return mx::reshape(mx::transpose(y, {0, 2, 1, 3}),
                     {1, y.shape(2), options_.heads * options_.head_dim});
}

mx::array Attention::rotated_queries(const mx::array& x, const AttentionStep& step,
                                     int offset) const {
  int first = offset + x.shape(1) - step.outputs;
  mx::array q = split_heads(last_positions(x, step.outputs), options_.heads);
  return finished(step.angles.rotate(q, first), first);
}

// For a token. Values beside the keys stay as they are where the rotation is to position 0; norms
// and amplitudes have no such exception.
bool Attention::appends_joined(const Projected& p, const AttentionStep& step,
                               const AttentionCache& cache) const {
  bool a_token = p.size() == 1 && p[0].shape(1) == 1;
  return a_token && cache.joined() && !query_norm_ && step.angles.amplitude == 1;
}

mx::array Attention::attend_joined(const mx::array& side_by_side, const AttentionStep& step,
                                   AttentionCache& cache) const {
  const AttentionOptions& o = options_;
  int position = cache.length(), all = o.heads + 2 * o.kv_heads;
  mx::array heads =
      step.angles.rotate_each(mx::reshape(side_by_side, {all, 1, 1, o.head_dim}),
                              step.positions.get(position, o.heads + o.kv_heads, o.kv_heads));
  auto part = [&](int begin, int end) {
    mx::array some = mx::slice(heads, {begin, 0, 0, 0}, {end, 1, 1, o.head_dim});
    return mx::reshape(some, {1, end - begin, 1, o.head_dim});
  };
  AttentionCache::View view = cache.append_joined(part(o.heads, all)).value();
  return attend_view(finished(part(0, o.heads), position), view, step);
}

mx::array Attention::attend_in_graph(const Projected& p, const AttentionStep& step,
                                     AttentionCache& cache) const {
  if (appends_joined(p, step, cache)) return merged_heads(attend_joined(p[0], step, cache));
  Projected heads = rotated_heads(p, step, cache.length());
  const mx::array &q = heads[0], &k = heads[1], &v = heads[2];
  if (DevicePolicy::get().attends_quantized() && !extras_.sinks) {
    auto quantized = cache.append_quantized(k, v);
    if (quantized) return merged_heads(attend_quantized(q, *quantized, step.masks));
  }
  return merged_heads(attend_view(q, cache.append(k, v), step));
}

// q [1, heads, outputs, head_dim] -> the same shape
mx::array Attention::attend_view(const mx::array& q, const AttentionCache::View& kv,
                                 const AttentionStep& step) const {
  const AttentionOptions& o = options_;
  int total = kv.keys.shape(2);
  if (o.score_cap > 0) {
    mx::array keys = mx::swapaxes(mx::expand_dims(kv.keys, 2), -1, -2);
    mx::array values = mx::expand_dims(kv.values, 2);
    return attend_by_products(
        q, total, step.masks, [&](const mx::array& x) { return mx::matmul(x, keys); },
        [&](const mx::array& x) { return mx::matmul(x, values); });
  }
  std::string mode = step.outputs > 1 ? "causal" : "";
  std::optional<mx::array> mask;
  if (o.window > 0 && total > o.window) {
    mode = "array";
    mask = step.masks.get(step.outputs, total, o.window);
  }
  std::vector<mx::array> inputs{q, kv.keys, kv.values};
  for (const auto& extra : {mask, extras_.sinks}) {
    if (extra) inputs.push_back(*extra);
  }
  return one_launch("ScaledDotProductAttention", inputs, [&] {
    return mx::fast::scaled_dot_product_attention(q, kv.keys, kv.values, o.scale, mode, mask,
                                                  extras_.sinks);
  });
}

// The heads of a key head side by side, so that its rows are read once for all of them.
mx::array Attention::attend_by_products(const mx::array& q, int total, WindowMasks& masks,
                                        const Product& scores_of, const Product& values_of) const {
  const AttentionOptions& o = options_;
  int outputs = q.shape(2), window = o.window > 0 ? std::min(o.window, total) : total;
  mx::array grouped = mx::reshape(mx::multiply(q, mx::array(o.scale, q.dtype())),
                                  {1, o.kv_heads, o.heads / o.kv_heads, outputs, o.head_dim});
  mx::array scores = scores_of(grouped);
  if (o.score_cap > 0) {
    scores = fused("CapScores", capped_scores, {scores, mx::array(o.score_cap, scores.dtype())});
  }
  if (outputs > 1 || window < total) {
    mx::array lowest(mx::finfo(scores.dtype()).min, scores.dtype());
    scores = mx::where(masks.get(outputs, total, window), scores, lowest);
  }
  return mx::reshape(values_of(mx::softmax(scores, -1, true)), q.shape());
}

mx::array Attention::attend_quantized(const mx::array& q, const AttentionCache::Quantized& kv,
                                      WindowMasks& masks) const {
  auto multiply = [&](const mx::array& x, const std::array<mx::array, 3>& rows, bool transpose) {
    auto part = [&](size_t i) { return mx::expand_dims(rows[i], 2); };
    return mx::quantized_matmul(x, part(0), part(1), part(2), transpose, kv.group_size, kv.bits);
  };
  return attend_by_products(
      q, kv.keys[0].shape(2), masks, [&](const mx::array& x) { return multiply(x, kv.keys, true); },
      [&](const mx::array& x) { return multiply(x, kv.values, false); });
}

}  // namespace llm_host
