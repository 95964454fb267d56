#include "layers/attention.h"

#include <cmath>

#include "kernels/attention/attention.h"
#include "kernels/ops.h"
#include "layers/positions.h"

namespace llm_host {
namespace {

// [L, T] booleans: query i (position offset + i) sees key j iff j <= i and i < j + window.
mx::array window_mask(int length, int total, int window) {
  mx::array queries = mx::reshape(mx::arange(total - length, total), {length, 1});
  mx::array keys = mx::reshape(mx::arange(0, total), {1, total});
  return mx::logical_and(mx::less_equal(keys, queries),
                         mx::less(queries, mx::add(keys, mx::array(window))));
}

// x [1, L, heads · head_dim], normalises each head by itself.
mx::array norm_heads(const RmsNorm& norm, const mx::array& x, int head_dim) {
  mx::Shape heads{1, x.shape(1), x.shape(2) / head_dim, head_dim};
  return mx::reshape(norm(mx::reshape(x, heads)), x.shape());
}

// [1, L, 1] factors for positions offset, offset + 1, ...
mx::array growth(double beta, double period, int offset, int length, mx::Dtype dtype) {
  std::vector<float> factors;
  for (int i = 0; i < length; ++i) {
    factors.push_back(
        static_cast<float>(1 + beta * std::log(1 + std::floor((offset + i) / period))));
  }
  return mx::astype(mx::array(factors.begin(), mx::Shape{1, length, 1}), dtype);
}

}  // namespace

Attention::Attention(WeightStore& weights, const std::string& path, const AttentionOptions& o)
    : options_(o),
      output_(Linear::load(weights, path + "." + o.output, o.hidden, o.heads * o.head_dim,
                           o.output_bias)) {
  if (weights.has(path + ".qkv_proj.weight")) {
    int rows = (o.heads + 2 * o.kv_heads) * o.head_dim;
    fused_ = Linear::load(weights, path + ".qkv_proj", rows, o.hidden, o.qkv_bias);
  } else {
    query_ =
        Linear::load_rotary(weights, path + ".q_proj", o.heads, o.head_dim, o.hidden, o.qkv_bias);
    key_ = Linear::load_rotary(weights, path + ".k_proj", o.kv_heads, o.head_dim, o.hidden,
                               o.qkv_bias);
    value_ = Linear::load(weights, path + ".v_proj", o.kv_heads * o.head_dim, o.hidden, o.qkv_bias);
  }
  if (o.qk_norm) {
    query_norm_.emplace(weights, path + "." + o.query_norm, o.head_dim, *o.qk_norm);
    key_norm_.emplace(weights, path + "." + o.key_norm, o.head_dim, *o.qk_norm);
  }
  if (o.sinks) sinks_ = weights.vector(path + ".sinks", o.heads);
}

bool Attention::packed() const {
  return fused_ ? fused_->packed() : query_->packed() && key_->packed() && value_->packed();
}

mx::array Attention::project_packed(const Normed& x) const {
  cpu::Operand input = normalised(x);
  return fused_ ? Linear::apply({*fused_}, input) : Linear::apply({*query_, *key_, *value_}, input);
}

Attention::Projected Attention::split(const mx::array& side_by_side) const {
  int key = options_.heads * options_.head_dim;
  int value = key + options_.kv_heads * options_.head_dim;
  std::vector<mx::array> parts = mx::split(side_by_side, mx::Shape{key, value}, -1);
  return {mx::contiguous(parts[0]), mx::contiguous(parts[1]), mx::contiguous(parts[2])};
}

Attention::Projected Attention::project(const Normed& x, int offset) const {
  const AttentionOptions& o = options_;
  auto parts = [&]() -> Projected {
    if (packed()) return split(project_packed(x));
    mx::array value = x.value();
    if (fused_) return split((*fused_)(value));
    return {(*query_)(value), (*key_)(value), (*value_)(value)};
  };
  Projected p = parts();
  if (query_norm_) {
    p.q = norm_heads(*query_norm_, p.q, o.head_dim);
    p.k = norm_heads(*key_norm_, p.k, o.head_dim);
  }
  // Up to that length the factor is 1. Rotation is linear, so either may come first.
  int length = p.q.shape(1);
  if (o.growth_beta != 0 && offset + length > o.growth_length) {
    p.q = mx::multiply(p.q, growth(o.growth_beta, o.growth_length, offset, length, p.q.dtype()));
  }
  return p;
}

mx::array Attention::output(const mx::array& y, const std::optional<mx::array>& residual) const {
  if (output_.packed()) return Linear::apply({output_}, cpu::Operand(y), residual);
  return residual ? mx::add(*residual, output_(y)) : output_(y);
}

mx::array Attention::operator()(const Normed& x, const RopeAngles& angles, AttentionCache& cache,
                                const std::optional<mx::array>& residual, int outputs) const {
  const AttentionOptions& o = options_;
  int offset = cache.length();
  std::optional<AttentionCache::Buffers> buffers;
  if (cpu::usable()) buffers = cache.extend(x.x.shape(1));
  if (!buffers) {
    return output(attend(project(x, offset), angles, cache, offset, outputs), residual);
  }
  cpu::AttentionShape shape{o.heads,           o.kv_heads, o.head_dim, o.window, buffers->slot,
                            buffers->position, outputs,    o.scale,    packed()};
  cpu::Rotation rotation{angles.frequencies, angles.amplitude, angles.interleaved};
  auto attention = [&](const std::vector<mx::array>& projected) {
    return cpu::attention(projected, buffers->keys, buffers->values, shape, rotation, sinks_);
  };
  // Head norms and query growth need q and k apart.
  if (packed() && !query_norm_ && o.growth_beta == 0) {
    return output(attention({project_packed(x)}), residual);
  }
  Projected p = project(x, offset);
  return output(attention({p.q, p.k, p.v}), residual);
}

mx::array Attention::attend(const Projected& p, const RopeAngles& angles, AttentionCache& cache,
                            int offset, int outputs) const {
  const AttentionOptions& o = options_;
  auto split_heads = [&](const mx::array& y, int heads) {  // -> [1, heads, L, head_dim]
    return mx::transpose(mx::reshape(y, {1, y.shape(1), heads, o.head_dim}), {0, 2, 1, 3});
  };
  int skipped = p.q.shape(1) - outputs;
  mx::array q = angles.rotate(split_heads(last_positions(p.q, outputs), o.heads), offset + skipped);
  mx::array k = angles.rotate(split_heads(p.k, o.kv_heads), offset);
  auto [keys, values] = cache.append(k, split_heads(p.v, o.kv_heads));

  int total = keys.shape(2);
  std::string mode = outputs > 1 ? "causal" : "";
  std::optional<mx::array> mask;
  if (o.window > 0 && total > o.window) {
    mode = "array";
    mask = window_mask(outputs, total, o.window);
  }
  mx::array y =
      mx::fast::scaled_dot_product_attention(q, keys, values, o.scale, mode, mask, sinks_);
  return mx::reshape(mx::transpose(y, {0, 2, 1, 3}), {1, outputs, o.heads * o.head_dim});
}

}  // namespace llm_host
