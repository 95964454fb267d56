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
mx::array norm_heads(const Norm& norm, const mx::array& x, int head_dim) {
  mx::Shape heads{1, x.shape(1), x.shape(2) / head_dim, head_dim};
  return mx::reshape(norm(mx::reshape(x, heads)), x.shape());
}

std::vector<mx::array> gated_output(const std::vector<mx::array>& in) {
  return {mx::multiply(in[0], mx::sigmoid(in[1]))};
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
        Linear::load_rotary(weights, path + ".q_proj", o.heads, query_dim(), o.hidden, o.qkv_bias);
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
  if (o.qk_norm != QkNorm::kNone) load_norms(weights, path);
  if (o.sinks) extras_.sinks = weights.vector(path + ".sinks", o.heads);
}

void Attention::load_norms(WeightStore& weights, const std::string& path) {
  const AttentionOptions& o = options_;
  bool whole = o.qk_norm == QkNorm::kWhole;
  auto load = [&](const char* name, int heads) {
    return Norm(weights, path + "." + name, whole ? heads * o.head_dim : o.head_dim, o.norm);
  };
  query_norm_ = load(o.query_norm, o.heads);
  key_norm_ = load(o.key_norm, o.kv_heads);
  if (o.qk_norm == QkNorm::kRotatedHeads) {
    // Rotation keeps a head's length, so the norm may come before it, except for its weights; and
    // of those only the products count, which the queries get.
    extras_.query_weights = mx::multiply(query_norm_->weight(), key_norm_->weight());
    extras_.query_weights->eval();
    query_norm_ = key_norm_ = Norm(o.head_dim, o.norm.eps, query_norm_->weight().dtype());
  } else if (!whole && fused_ && !cpu::usable()) {
    auto rows = [&](const Norm& norm, int heads) {
      return mx::broadcast_to(norm.weight(), {heads, 1, o.head_dim});
    };
    head_weights_ = mx::concatenate({rows(*query_norm_, o.heads), rows(*key_norm_, o.kv_heads)}, 0);
    head_weights_->eval();
  }
}

bool Attention::packed() const {
  return fused_ ? fused_->packed() : query_->packed() && key_->packed() && value_->packed();
}

mx::array Attention::project_packed(const Normed& x) const {
  cpu::Operand input = normalised(x);
  return fused_ ? Linear::apply({*fused_}, input) : Linear::apply({*query_, *key_, *value_}, input);
}

Attention::Projected Attention::split(const mx::array& side_by_side) const {
  int key = options_.heads * query_dim();
  int value = key + options_.kv_heads * options_.head_dim;
  std::vector<mx::array> parts = mx::split(side_by_side, mx::Shape{key, value}, -1);
  // Only the CPU's kernels cannot read a part of each row.
  if (!cpu::usable()) return parts;
  return {mx::contiguous(parts[0]), mx::contiguous(parts[1]), mx::contiguous(parts[2])};
}

void Attention::norm(Projected& p) const {
  for (size_t i : {size_t{0}, size_t{1}}) {
    const Norm& norm = i == 0 ? *query_norm_ : *key_norm_;
    bool whole = options_.qk_norm == QkNorm::kWhole;
    p[i] = whole ? norm(p[i]) : norm_heads(norm, p[i], options_.head_dim);
  }
}

mx::array Attention::take_gate(mx::array& queries) const {
  int length = queries.shape(1), heads = options_.heads, size = options_.head_dim;
  mx::array both = mx::reshape(queries, {1, length, heads, 2 * size});
  auto half = [&](int begin) {
    mx::array part = mx::slice(both, {0, 0, 0, begin}, {1, length, heads, begin + size});
    part = mx::reshape(part, {1, length, heads * size});
    return cpu::usable() ? mx::contiguous(part) : part;
  };
  queries = half(0);
  return half(size);
}

Attention::Input Attention::project(const Normed& x) const {
  const AttentionOptions& o = options_;
  bool plain = !query_norm_ && !o.output_gate;
  bool together = o.qk_norm != QkNorm::kWhole && !o.output_gate;
  // Norms and query growth need q and k apart; a GPU norms the heads of both together.
  if (packed() && plain && o.growth_beta == 0) return {{project_packed(x)}, std::nullopt};
  if (fused_ && !cpu::usable() && together) return {{(*fused_)(x.value())}, std::nullopt};
  auto parts = [&]() -> Projected {
    if (packed()) return split(project_packed(x));
    mx::array value = x.value();
    if (fused_) return split((*fused_)(value));
    return {(*query_)(value), (*key_)(value), (*value_)(value)};
  };
  Input input{parts(), std::nullopt};
  if (o.output_gate) input.gate = take_gate(input.projected[0]);
  if (query_norm_) norm(input.projected);
  return input;
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

mx::array Attention::finished(const mx::array& q, int position) const {
  const auto& weights = extras_.query_weights;
  return grown(weights ? mx::multiply(q, *weights) : q, positions_from(position, q.shape(2)));
}

mx::array Attention::output(mx::array y, const std::optional<mx::array>& gate,
                            const std::optional<mx::array>& residual) const {
  if (gate) y = fused("GateOutput", gated_output, {y, last_positions(*gate, y.shape(1))});
  if (output_.packed()) return Linear::apply({output_}, cpu::Operand(y), residual);
  return residual ? mx::add(*residual, output_(y)) : output_(y);
}

mx::array Attention::operator()(const Normed& x, const AttentionStep& step, AttentionCache& cache,
                                const std::optional<mx::array>& residual) const {
  Input input = project(x);
  return output(attend(std::move(input.projected), step, cache), input.gate, residual);
}

mx::array Attention::step(const Normed& x, std::span<const Row> rows,
                          const std::optional<mx::array>& residual) const {
  Input input = project(x);
  const Projected& all = input.projected;
  std::optional<mx::array> y;
  if (cpu::usable()) y = attend_in_buffers(all, rows);
  return output(y ? *y : attend_each(all, rows), input.gate, residual);
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
  return cpu::attention_step(p, places, kernel_shape(), extras_);
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
  return {o.heads, o.kv_heads, o.head_dim, o.window, 0, 0, 1, o.scale, packed(), o.score_cap};
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
  return cpu::attention(p, buffers->keys, buffers->values, shape, rotation, extras_);
}

}  // namespace llm_host
