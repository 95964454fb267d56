#include "layers/attention.h"

#include <cmath>

#include "kernels/ops.h"

namespace llm_host {
namespace {

// [L, T] booleans: query i (position offset + i) sees key j iff j <= i and i < j + window.
mx::array window_mask(int length, int total, int window) {
  mx::array queries = mx::reshape(mx::arange(total - length, total), {length, 1});
  mx::array keys = mx::reshape(mx::arange(0, total), {1, total});
  return mx::logical_and(mx::less_equal(keys, queries),
                         mx::less(queries, mx::add(keys, mx::array(window))));
}

}  // namespace

Attention::Attention(WeightStore& weights, const std::string& path, const Shape& s)
    : shape_(s),
      query_(Linear::load_rotary(weights, path + ".q_proj", s.heads, s.head_dim, s.hidden, s.bias)),
      key_(
          Linear::load_rotary(weights, path + ".k_proj", s.kv_heads, s.head_dim, s.hidden, s.bias)),
      value_(Linear::load(weights, path + ".v_proj", s.kv_heads * s.head_dim, s.hidden, s.bias)),
      output_(Linear::load(weights, path + ".o_proj", s.hidden, s.heads * s.head_dim, s.bias)) {}

mx::array Attention::operator()(const mx::array& x, const Rope& rope, AttentionCache& cache) const {
  int length = x.shape(1);
  int offset = cache.length();
  if (cpu::usable()) {
    if (auto buffers = cache.extend(length)) {
      cpu::AttentionShape shape{shape_.heads,  shape_.kv_heads, shape_.head_dim,
                                shape_.window, buffers->slot,   buffers->position};
      return output_(cpu::attention(query_(x), key_(x), value_(x), buffers->keys, buffers->values,
                                    shape, rope.frequencies()));
    }
  }
  auto split_heads = [&](const mx::array& y, int heads) {  // -> [1, heads, L, head_dim]
    return mx::transpose(mx::reshape(y, {1, length, heads, shape_.head_dim}), {0, 2, 1, 3});
  };
  mx::array q = rope(split_heads(query_(x), shape_.heads), offset);
  mx::array k = rope(split_heads(key_(x), shape_.kv_heads), offset);
  auto [keys, values] = cache.append(k, split_heads(value_(x), shape_.kv_heads));

  float scale = 1 / std::sqrt(static_cast<float>(shape_.head_dim));
  int total = keys.shape(2);
  bool windowed = shape_.window > 0 && total > shape_.window;
  mx::array y =
      windowed ? mx::fast::scaled_dot_product_attention(q, keys, values, scale, "array",
                                                        window_mask(length, total, shape_.window))
               : mx::fast::scaled_dot_product_attention(q, keys, values, scale,
                                                        length > 1 ? "causal" : "");
  y = mx::reshape(mx::transpose(y, {0, 2, 1, 3}), {1, length, shape_.heads * shape_.head_dim});
  return output_(y);
}

}  // namespace llm_host
