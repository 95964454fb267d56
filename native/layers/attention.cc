#include "layers/attention.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/device_policy.h"
#include "common/launch_groups.h"
#include "kernels/attention/attention.h"
#include "kernels/ops.h"
#include "layers/positions.h"

namespace llm_host {
namespace {

// x [1, L, heads · head_dim], normalises each head by itself.
mx::array norm_heads(const RmsNorm& norm, const mx::array& x, int head_dim) {
  mx::Shape heads{1, x.shape(1), x.shape(2) / head_dim, head_dim};
  return mx::reshape(norm(mx::reshape(x, heads)), x.shape());
}

// How many of the rows belong to the first one's sequence.
int tokens_of_one(std::span<const Attention::Row> rows) {
  size_t count = 1;
  while (count < rows.size() && &rows[count].cache == &rows[0].cache) ++count;
  return static_cast<int>(count);
}

std::vector<int> positions_from(int first, int count) {
  std::vector<int> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
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
    fused_ = Linear::join({*query_, *key_, *value_});
    if (fused_) {
      query_.reset();
      key_.reset();
      value_.reset();
    }
  }
  if (o.qk_norm) {
    query_norm_.emplace(weights, path + "." + o.query_norm, o.head_dim, *o.qk_norm);
    key_norm_.emplace(weights, path + "." + o.key_norm, o.head_dim, *o.qk_norm);
    if (fused_ && !cpu::usable()) {
      auto rows = [&](const RmsNorm& norm, int heads) {
        return mx::broadcast_to(norm.weight(), {heads, 1, o.head_dim});
      };
      head_weights_ =
          mx::concatenate({rows(*query_norm_, o.heads), rows(*key_norm_, o.kv_heads)}, 0);
      head_weights_->eval();
    }
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

Attention::Projected Attention::project(const Normed& x) const {
  const AttentionOptions& o = options_;
  // Head norms and query growth need q and k apart.
  if (packed() && !query_norm_ && o.growth_beta == 0) return {project_packed(x)};
  if (fused_ && !cpu::usable()) return {(*fused_)(x.value())};
  auto parts = [&]() -> Projected {
    if (packed()) return split(project_packed(x));
    mx::array value = x.value();
    if (fused_) return split((*fused_)(value));
    return {(*query_)(value), (*key_)(value), (*value_)(value)};
  };
  Projected p = parts();
  if (query_norm_) {
    p[0] = norm_heads(*query_norm_, p[0], o.head_dim);
    p[1] = norm_heads(*key_norm_, p[1], o.head_dim);
  }
  return p;
}

// Up to `growth_length` the factor is 1. Rotation is linear, so either may come first.
mx::array Attention::grown(const mx::array& q, std::span<const int> positions) const {
  const AttentionOptions& o = options_;
  bool grows = std::any_of(positions.begin(), positions.end(),
                           [&](int position) { return position >= o.growth_length; });
  if (o.growth_beta == 0 || !grows) return q;
  std::vector<float> factors;
  for (int position : positions) {
    double periods = std::floor(position / o.growth_length);
    factors.push_back(static_cast<float>(1 + o.growth_beta * std::log(1 + periods)));
  }
  mx::array column(factors.begin(), mx::Shape{static_cast<int>(factors.size()), 1});
  return mx::multiply(q, mx::astype(column, q.dtype()));
}

mx::array Attention::output(const mx::array& y, const std::optional<mx::array>& residual) const {
  if (output_.packed()) return Linear::apply({output_}, cpu::Operand(y), residual);
  return residual ? mx::add(*residual, output_(y)) : output_(y);
}

mx::array Attention::operator()(const Normed& x, const AttentionStep& step, AttentionCache& cache,
                                const std::optional<mx::array>& residual) const {
  return output(attend(project(x), step, cache), residual);
}

mx::array Attention::step(const Normed& x, std::span<const Row> rows,
                          const std::optional<mx::array>& residual) const {
  Projected all = project(x);
  std::optional<mx::array> y;
  if (cpu::usable()) y = attend_in_buffers(all, rows);
  return output(y ? *y : attend_each(all, rows), residual);
}

std::optional<mx::array> Attention::attend_in_buffers(Projected p,
                                                      std::span<const Row> rows) const {
  std::vector<cpu::AttentionRow> places;
  std::vector<int> positions;
  for (size_t first = 0; first < rows.size();) {
    int count = tokens_of_one(rows.subspan(first));
    // All are of one kind: either the first has none or all have some.
    auto buffers = rows[first].cache.extend(count);
    if (!buffers) return std::nullopt;
    for (int i = 0; i < count; ++i) {
      const RopeAngles& angles = rows[first++].angles;
      places.push_back({buffers->keys,
                        buffers->values,
                        buffers->slot + i,
                        buffers->position + i,
                        {angles.frequencies, angles.amplitude, angles.interleaved}});
      positions.push_back(buffers->position + i);
    }
  }
  if (p.size() > 1) p[0] = grown(p[0], positions);
  return cpu::attention_step(p, places, kernel_shape(), sinks_);
}

mx::array Attention::attend_each(const Projected& p, std::span<const Row> rows) const {
  std::vector<mx::array> outs;
  WindowMasks masks;
  HeadPositions positions;
  for (int i = 0, count = 1; i < static_cast<int>(rows.size()); i += count) {
    // One by one they have the same bits as alone, which MLX's operations do not give them
    // together.
    if (!cpu::usable()) count = tokens_of_one(rows.subspan(static_cast<size_t>(i)));
    Projected own;
    for (const mx::array& part : p) {
      own.push_back(mx::slice(part, {0, i, 0}, {1, i + count, part.shape(2)}));
    }
    const Row& row = rows[static_cast<size_t>(i)];
    outs.push_back(attend(own, {row.angles, masks, positions, count}, row.cache));
  }
  return mx::concatenate(outs, 1);
}

cpu::AttentionShape Attention::kernel_shape() const {
  const AttentionOptions& o = options_;
  return {o.heads, o.kv_heads, o.head_dim, o.window, 0, 0, 1, o.scale, packed()};
}

mx::array Attention::attend(Projected p, const AttentionStep& step, AttentionCache& cache) const {
  int offset = cache.length();
  std::optional<AttentionCache::Buffers> buffers;
  if (cpu::usable()) buffers = cache.extend(p[0].shape(1));
  if (!buffers) return attend_in_graph(p, step, cache);
  if (p.size() > 1) p[0] = grown(p[0], positions_from(offset, p[0].shape(1)));
  cpu::AttentionShape shape = kernel_shape();
  shape.slot = buffers->slot;
  shape.position = buffers->position;
  shape.outputs = step.outputs;
  const RopeAngles& angles = step.angles;
  cpu::Rotation rotation{angles.frequencies, angles.amplitude, angles.interleaved};
  return cpu::attention(p, buffers->keys, buffers->values, shape, rotation, sinks_);
}

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
  return {grown(q, positions_from(offset + length - outputs, outputs)),
          part(both, o.heads, rotated, length), part(heads, rotated, all, length)};
}

mx::array Attention::normed_together(const mx::array& heads) const {
  mx::array normed = one_launch("RMSNorm", {heads}, [&] {
    return mx::fast::rms_norm(heads, std::nullopt, query_norm_->eps());
  });
  return mx::multiply(normed, *head_weights_);
}

Attention::Projected Attention::rotated_heads(const Projected& p, const AttentionStep& step,
                                              int offset) const {
  const AttentionOptions& o = options_;
  const RopeAngles& angles = step.angles;
  if (p.size() == 1 && !cpu::usable()) return rotated_together(p[0], step, offset);
  if (p.size() == 1) return rotated_heads(split(p[0]), step, offset);
  auto split_heads = [&](const mx::array& y, int heads) {
    return mx::transpose(mx::reshape(y, {1, y.shape(1), heads, o.head_dim}), {0, 2, 1, 3});
  };
  int skipped = p[0].shape(1) - step.outputs;
  mx::array q = split_heads(last_positions(p[0], step.outputs), o.heads);
  q = angles.rotate(q, offset + skipped);
  return {grown(q, positions_from(offset + skipped, step.outputs)),
          angles.rotate(split_heads(p[1], o.kv_heads), offset), split_heads(p[2], o.kv_heads)};
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
  return attend_view(grown(part(0, o.heads), positions_from(position, 1)), view, step);
}

mx::array Attention::attend_in_graph(const Projected& p, const AttentionStep& step,
                                     AttentionCache& cache) const {
  auto merged = [&](const mx::array& y) {
    return mx::reshape(mx::transpose(y, {0, 2, 1, 3}),
                       {1, step.outputs, options_.heads * options_.head_dim});
  };
  if (appends_joined(p, step, cache)) return merged(attend_joined(p[0], step, cache));
  Projected heads = rotated_heads(p, step, cache.length());
  const mx::array &q = heads[0], &k = heads[1], &v = heads[2];
  if (DevicePolicy::get().attends_quantized() && !sinks_) {
    auto quantized = cache.append_quantized(k, v);
    if (quantized) return merged(attend_quantized(q, *quantized, step.masks));
  }
  return merged(attend_view(q, cache.append(k, v), step));
}

// q [1, heads, outputs, head_dim] -> the same shape
mx::array Attention::attend_view(const mx::array& q, const AttentionCache::View& kv,
                                 const AttentionStep& step) const {
  const AttentionOptions& o = options_;
  int total = kv.keys.shape(2);
  std::string mode = step.outputs > 1 ? "causal" : "";
  std::optional<mx::array> mask;
  if (o.window > 0 && total > o.window) {
    mode = "array";
    mask = step.masks.get(step.outputs, total, o.window);
  }
  std::vector<mx::array> inputs{q, kv.keys, kv.values};
  for (const auto& extra : {mask, sinks_}) {
    if (extra) inputs.push_back(*extra);
  }
  return one_launch("ScaledDotProductAttention", inputs, [&] {
    return mx::fast::scaled_dot_product_attention(q, kv.keys, kv.values, o.scale, mode, mask,
                                                  sinks_);
  });
}

// The heads of a key head side by side, so that its packed rows are read once for all of them.
mx::array Attention::attend_quantized(const mx::array& q, const AttentionCache::Quantized& kv,
                                      WindowMasks& masks) const {
  const AttentionOptions& o = options_;
  int outputs = q.shape(2), total = kv.keys[0].shape(2);
  mx::array grouped = mx::reshape(mx::multiply(q, mx::array(o.scale, q.dtype())),
                                  {1, o.kv_heads, o.heads / o.kv_heads, outputs, o.head_dim});
  auto multiply = [&](const mx::array& x, const std::array<mx::array, 3>& rows, bool transpose) {
    auto part = [&](size_t i) { return mx::expand_dims(rows[i], 2); };
    return mx::quantized_matmul(x, part(0), part(1), part(2), transpose, kv.group_size, kv.bits);
  };
  mx::array scores = multiply(grouped, kv.keys, true);
  if (outputs > 1) {
    mx::array lowest(mx::finfo(scores.dtype()).min, scores.dtype());
    scores = mx::where(masks.get(outputs, total, total), scores, lowest);
  }
  mx::array y = multiply(mx::softmax(scores, -1, true), kv.values, false);
  return mx::reshape(y, q.shape());
}

}  // namespace llm_host
