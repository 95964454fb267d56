#include "layers/latent/latent_attention.h"

#include "kernels/ops.h"
#include "layers/attention/positions.h"
#include "layers/attention/sequence_rows.h"
#include "layers/latent/columns.h"

namespace llm_host {

LatentAttention::LatentAttention(WeightStore& weights, const std::string& path,
                                 const LatentAttentionOptions& o)
    : options_(o),
      norm_(weights, path + ".kv_a_layernorm", o.rank, {.eps = o.norm_eps}),
      heads_(read_latent_heads(weights, path, {o.heads, o.plain_dim, o.value_dim, o.rank})),
      output_(Linear::load(weights, path + ".o_proj", o.hidden, o.heads * o.value_dim, o.bias)) {
  int queries = o.heads * (o.plain_dim + o.rotary_dim);
  if (o.query_rank > 0) {
    first_ = Linear::load(weights, path + ".q_a_proj", o.query_rank, o.hidden, o.bias);
    query_norm_ = Norm(weights, path + ".q_a_layernorm", o.query_rank, {.eps = o.norm_eps});
    query_ = Linear::load(weights, path + ".q_b_proj", queries, o.query_rank, false);
  } else {
    first_ = Linear::load(weights, path + ".q_proj", queries, o.hidden, false);
  }
  down_ =
      Linear::load(weights, path + ".kv_a_proj_with_mqa", o.rank + o.rotary_dim, o.hidden, o.bias);
  fused_ = Linear::join({*first_, *down_});
  if (!fused_) return;
  first_.reset();
  down_.reset();
}

std::vector<mx::array> LatentAttention::project_both(const Normed& x) const {
  if (!fused_ && !(first_->packed() && down_->packed())) {
    mx::array value = x.value();
    return {(*first_)(value), (*down_)(value)};
  }
  mx::array both = fused_ ? (*fused_)(x.value()) : Linear::apply({*first_, *down_}, normalised(x));
  int end = both.shape(-1), middle = end - options_.rank - options_.rotary_dim;
  return {columns(both, 0, middle), columns(both, middle, end)};
}

mx::array LatentAttention::queries_of(const mx::array& projected) const {
  if (!query_) return projected;
  Normed normed{projected, &*query_norm_};
  return query_->packed() ? Linear::apply({*query_}, normalised(normed))
                          : (*query_)(normed.value());
}

LatentAttention::Projected LatentAttention::project(const Normed& x) const {
  const LatentAttentionOptions& o = options_;
  std::vector<mx::array> both = project_both(x);
  return {queries_of(both[0]), norm_(columns(both[1], 0, o.rank)),
          columns(both[1], o.rank, o.rank + o.rotary_dim)};
}

mx::array LatentAttention::output(const mx::array& y,
                                  const std::optional<mx::array>& residual) const {
  if (output_.packed()) return Linear::apply({output_}, cpu::Operand(y), residual);
  return residual ? mx::add(*residual, output_(y)) : output_(y);
}

mx::array LatentAttention::operator()(const Normed& x, const AttentionStep& step,
                                      LatentCache& cache,
                                      const std::optional<mx::array>& residual) const {
  Projected p = project(x);
  return output(cpu::usable() ? attend_in_place(p, step, cache) : attend_in_graph(p, step, cache),
                residual);
}

mx::array LatentAttention::step(const Normed& x, std::span<const Row> rows,
                                const std::optional<mx::array>& residual) const {
  Projected p = project(x);
  return output(cpu::usable() ? attend_rows_in_place(p, rows) : attend_each(p, rows), residual);
}

mx::array LatentAttention::rows_of(const Projected& p) const {
  return mx::concatenate({p.keys, p.latents}, -1);
}

mx::array LatentAttention::queries_for_rows(const Projected& p,
                                            std::span<const int> positions) const {
  const LatentAttentionOptions& o = options_;
  int length = p.queries.shape(1), size = o.plain_dim + o.rotary_dim;
  mx::array rotary = columns(mx::reshape(p.queries, {1, length, o.heads, size}), o.plain_dim, size);
  mx::array both = mx::concatenate({rotary, heads_.to_latent.side_by_side(p.queries, 0)}, -1);
  return o.growth.apply(mx::reshape(both, {1, length, o.heads * width()}), positions);
}

mx::array LatentAttention::values_of(const mx::array& attended) const {
  mx::array values = heads_.from_latent.side_by_side(attended, options_.rotary_dim);
  return mx::reshape(values, {1, values.shape(1), options_.heads * options_.value_dim});
}

// All heads have the same keys.
cpu::AttentionShape LatentAttention::kernel_shape() const {
  cpu::AttentionShape shape{options_.heads,  1, width(), 0, 0, 0, 1, options_.scale,
                            output_.packed()};
  shape.keys_are_values = true;
  return shape;
}

mx::array LatentAttention::attend_in_place(const Projected& p, const AttentionStep& step,
                                           LatentCache& cache) const {
  int length = p.keys.shape(1);
  LatentCache::Buffer buffer = cache.extend(length);
  cpu::AttentionShape shape = kernel_shape();
  shape.slot = shape.position = buffer.slot;
  shape.outputs = step.outputs;
  const RopeAngles& angles = step.angles;
  cpu::Rotation rotation{angles.frequencies, angles.amplitude, angles.interleaved};
  mx::array queries = queries_for_rows(p, positions_from(buffer.slot, length));
  return values_of(
      cpu::attention({queries, rows_of(p)}, buffer.rows, buffer.rows, shape, rotation, {}));
}

mx::array LatentAttention::attend_rows_in_place(const Projected& p,
                                                std::span<const Row> rows) const {
  std::vector<cpu::AttentionRow> places;
  std::vector<int> positions;
  for (size_t first = 0; first < rows.size();) {
    int count = tokens_of_one(rows.subspan(first));
    LatentCache::Buffer buffer = rows[first].cache.extend(count);
    for (int i = 0; i < count; ++i) {
      const RopeAngles& angles = rows[first++].angles;
      places.push_back({buffer.rows,
                        buffer.rows,
                        buffer.slot + i,
                        buffer.slot + i,
                        {angles.frequencies, angles.amplitude, angles.interleaved}});
      positions.push_back(buffer.slot + i);
    }
  }
  return values_of(cpu::attention_step({queries_for_rows(p, positions), rows_of(p)}, places,
                                       kernel_shape(), {}));
}

}  // namespace llm_host
