#include "layers/attention/attention.h"

#include <algorithm>

#include "common/device_policy.h"
#include "common/launch_groups.h"
#include "kernels/attention/attention.h"
#include "kernels/ops.h"
#include "layers/attention/positions.h"
#include "layers/attention/sequence_rows.h"

namespace llm_host {
namespace {

// x [1, L, heads · head_dim], normalises each head by itself.
mx::array norm_heads(const Norm& norm, const mx::array& x, int head_dim) {
  mx::Shape heads{1, x.shape(1), x.shape(2) / head_dim, head_dim};
  return mx::reshape(norm(mx::reshape(x, heads)), x.shape());
}

std::vector<mx::array> sigmoid_gated(const std::vector<mx::array>& in) {
  return {mx::multiply(in[0], mx::sigmoid(in[1]))};
}

// y [.., head_dim] and a gate of the same shape or [.., 1]
std::vector<mx::array> softplus_gated(const std::vector<mx::array>& in) {
  mx::array gate = mx::logaddexp(mx::astype(in[1], mx::float32), mx::array(0.0f));
  return {mx::multiply(in[0], mx::astype(gate, in[0].dtype()))};
}

}  // namespace

Attention::Attention(WeightStore& weights, const std::string& path, const AttentionOptions& o)
    : options_(o),
      output_(Linear::load(weights, path + "." + o.output, o.hidden, o.heads * o.head_dim,
                           o.output_bias)) {
  load_projections(weights, path);
  if (o.gate != AttentionOptions::Gate::kNone) {
    bool channels = o.gate == AttentionOptions::Gate::kSoftplusChannels;
    int rows = channels ? o.heads * o.head_dim : o.heads;
    // As LFM3's files call it.
    bool renamed = weights.has(path + ".gate_proj.weight");
    gate_ =
        Linear::load(weights, path + (renamed ? ".gate_proj" : ".g_proj"), rows, o.hidden, false);
  }
  if (o.qk_norm != QkNorm::kNone) load_norms(weights, path);
  if (o.value_norm && !o.shares_cache) value_norm_ = Norm(o.head_dim, o.norm.eps, weights.dtype());
  if (o.sinks) extras_.sinks = weights.vector(path + ".sinks", o.heads);
}

void Attention::load_projections(WeightStore& weights, const std::string& path) {
  const AttentionOptions& o = options_;
  if (weights.has(path + ".qkv_proj.weight")) {
    int rows = (o.heads + 2 * o.kv_heads) * o.head_dim;
    fused_ = Linear::load(weights, path + ".qkv_proj", rows, o.hidden, o.qkv_bias);
    return;
  }
  query_ =
      Linear::load_rotary(weights, path + ".q_proj", o.heads, query_dim(), o.hidden, o.qkv_bias);
  if (o.shares_cache) return;
  key_ =
      Linear::load_rotary(weights, path + ".k_proj", o.kv_heads, o.head_dim, o.hidden, o.qkv_bias);
  if (!o.keys_as_values) {
    value_ = Linear::load(weights, path + ".v_proj", o.kv_heads * o.head_dim, o.hidden, o.qkv_bias);
  }
  fused_ = Linear::join(projections());
  if (!fused_) return;
  query_.reset();
  key_.reset();
  value_.reset();
}

Linear::Parts Attention::projections() const {
  Linear::Parts parts;
  for (const auto* each : {&fused_, &query_, &key_, &value_}) {
    if (*each) parts.push_back(**each);
  }
  return parts;
}

void Attention::load_norms(WeightStore& weights, const std::string& path) {
  const AttentionOptions& o = options_;
  bool whole = o.qk_norm == QkNorm::kWhole;
  auto load = [&](const char* name, int heads) {
    return Norm(weights, path + "." + name, whole ? heads * o.head_dim : o.head_dim, o.norm);
  };
  query_norm_ = load(o.query_norm, o.heads);
  if (o.shares_cache) return;
  key_norm_ = load(o.key_norm, o.kv_heads);
  if (o.qk_norm == QkNorm::kRotatedHeads) {
    // Rotation keeps a head's length, so the norm may come before it, except for its weights; and
    // of those only the products count, which the queries get.
    extras_.query_weights = mx::multiply(query_norm_->weight(), key_norm_->weight());
    extras_.query_weights->eval();
    query_norm_ = key_norm_ = Norm(o.head_dim, o.norm.eps, query_norm_->weight().dtype());
  } else if (together()) {
    auto rows = [&](const Norm& norm, int heads) {
      return mx::broadcast_to(norm.weight(), {heads, 1, o.head_dim});
    };
    head_weights_ = mx::concatenate({rows(*query_norm_, o.heads), rows(*key_norm_, o.kv_heads)}, 0);
    head_weights_->eval();
  }
}

bool Attention::together() const {
  const AttentionOptions& o = options_;
  bool apart = o.qk_norm == QkNorm::kWhole || o.output_gate || o.value_norm || o.keys_as_values;
  return fused_ && !cpu::usable() && !apart;
}

bool Attention::packed() const {
  Linear::Parts parts = projections();
  return std::all_of(parts.begin(), parts.end(), [](const Linear& part) { return part.packed(); });
}

mx::array Attention::project_packed(const Normed& x) const {
  return Linear::apply(projections(), normalised(x));
}

Attention::Projected Attention::split(const mx::array& side_by_side) const {
  const AttentionOptions& o = options_;
  if (o.shares_cache) return {side_by_side};
  mx::Shape ends{o.heads * query_dim()};
  if (!o.keys_as_values) ends.push_back(ends[0] + o.kv_heads * o.head_dim);
  std::vector<mx::array> parts = mx::split(side_by_side, ends, -1);
  // Only the CPU's kernels cannot read a part of each row.
  for (mx::array& part : parts) {
    if (cpu::usable()) part = mx::contiguous(part);
  }
  return parts;
}

void Attention::norm(Projected& p) const {
  const int size = options_.head_dim;
  bool whole = options_.qk_norm == QkNorm::kWhole;
  auto normed = [&](const std::optional<Norm>& norm, size_t i) {
    if (norm) p[i] = whole ? (*norm)(p[i]) : norm_heads(*norm, p[i], size);
  };
  normed(query_norm_, 0);
  normed(key_norm_, 1);
  if (value_norm_) p[2] = norm_heads(*value_norm_, p[2], size);
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
  std::optional<mx::array> gate;
  if (gate_) gate = (*gate_)(x.value());
  bool plain = !query_norm_ && !o.value_norm && !o.output_gate && !o.keys_as_values;
  // Norms and query growth need q and k apart; a GPU norms the heads of both together.
  if (packed() && plain && o.growth.beta == 0) return {{project_packed(x)}, gate};
  if (together()) return {{(*fused_)(x.value())}, gate};
  auto parts = [&]() -> Projected {
    if (packed()) return split(project_packed(x));
    mx::array value = x.value();
    if (fused_) return split((*fused_)(value));
    Projected all;
    for (const Linear& part : projections()) all.push_back(part(value));
    return all;
  };
  Input input{parts(), gate};
  Projected& p = input.projected;
  if (o.keys_as_values && !o.shares_cache) p.push_back(p[1]);
  if (o.output_gate) input.gate = take_gate(p[0]);
  norm(p);
  return input;
}

mx::array Attention::finished(const mx::array& q, int position) const {
  const auto& weights = extras_.query_weights;
  return options_.growth.apply(weights ? mx::multiply(q, *weights) : q,
                               positions_from(position, q.shape(2)));
}

mx::array Attention::gated(const mx::array& y, const mx::array& gate) const {
  if (!gate_) return fused("GateOutput", sigmoid_gated, {y, gate});
  bool sigmoid = options_.gate == AttentionOptions::Gate::kSigmoidHeads;
  mx::Shape heads{1, y.shape(1), options_.heads, -1};
  std::vector<mx::array> inputs{mx::reshape(y, heads), mx::reshape(gate, heads)};
  return mx::reshape(fused("GateOutput", sigmoid ? sigmoid_gated : softplus_gated, inputs),
                     y.shape());
}

mx::array Attention::output(mx::array y, const std::optional<mx::array>& gate,
                            const std::optional<mx::array>& residual) const {
  if (gate) y = gated(y, last_positions(*gate, y.shape(1)));
  if (options_.output_factor != 1) {
    y = mx::multiply(y, mx::array(options_.output_factor, y.dtype()));
  }
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
    AttentionCache& cache = rows[first].cache;
    auto buffers = options_.shares_cache ? cache.newest_buffers(count) : cache.extend(count);
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
  if (!side_by_side(p)) p[0] = options_.growth.apply(p[0], positions);
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
    int later = tokens_of_one(rows.subspan(static_cast<size_t>(i))) - count;
    outs.push_back(attend(own, {row.angles, masks, positions, count}, row.cache, later));
  }
  return mx::concatenate(outs, 1);
}

cpu::AttentionShape Attention::kernel_shape() const {
  const AttentionOptions& o = options_;
  cpu::AttentionShape shape{o.heads, o.kv_heads, o.head_dim, o.window, 0, 0, 1, o.scale, packed()};
  shape.cap = o.score_cap;
  shape.appends = !o.shares_cache;
  return shape;
}

mx::array Attention::attend_in_place(const Projected& p, const AttentionCache::Buffers& buffers,
                                     const AttentionStep& step) const {
  cpu::AttentionShape shape = kernel_shape();
  shape.slot = buffers.slot;
  shape.position = buffers.position;
  shape.outputs = step.outputs;
  const RopeAngles& angles = step.angles;
  cpu::Rotation rotation{angles.frequencies, angles.amplitude, angles.interleaved};
  return cpu::attention(p, buffers.keys, buffers.values, shape, rotation, extras_);
}

mx::array Attention::attend(Projected p, const AttentionStep& step, AttentionCache& cache,
                            int later) const {
  if (options_.shares_cache) return attend_shared(p[0], step, cache, later);
  int offset = cache.length();
  std::optional<AttentionCache::Buffers> buffers;
  if (cpu::usable()) buffers = cache.extend(p[0].shape(1));
  if (!buffers) return attend_in_graph(p, step, cache);
  if (!side_by_side(p)) p[0] = options_.growth.apply(p[0], positions_from(offset, p[0].shape(1)));
  return attend_in_place(p, *buffers, step);
}

mx::array Attention::attend_shared(const mx::array& queries, const AttentionStep& step,
                                   const AttentionCache& cache, int later) const {
  int length = queries.shape(1), offset = cache.length() - later - length;
  if (cpu::usable() && later == 0) {
    if (auto buffers = cache.newest_buffers(length)) {
      mx::array q = options_.growth.apply(queries, positions_from(offset, length));
      return attend_in_place({q}, *buffers, step);
    }
  }
  mx::array q = rotated_queries(queries, step, offset);
  if (DevicePolicy::get().attends_quantized() && !extras_.sinks) {
    if (auto all = cache.newest_quantized()) {
      return merged_heads(attend_quantized(q, *all, step.masks));
    }
  }
  AttentionCache::View view = cache.newest(length + later);
  auto before = [&](const mx::array& rows) {
    mx::Shape end = rows.shape();
    end[2] -= later;
    return mx::slice(rows, {0, 0, 0, 0}, end);
  };
  return merged_heads(attend_view(q, {before(view.keys), before(view.values)}, step));
}

}  // namespace llm_host
