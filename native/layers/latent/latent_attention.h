#pragma once

#include <optional>
#include <span>
#include <vector>

#include "layers/attention/attention.h"
#include "layers/cache/latent_cache.h"
#include "layers/latent/head_linear.h"

namespace llm_host {

struct LatentAttentionOptions {
  int hidden;
  int heads;
  int query_rank;  // of the two matrices that make queries; 0: one matrix makes them
  int rank;        // values of a latent
  int plain_dim;   // channels of a head's query and key without rotation
  int rotary_dim;  // those behind them, rotated; of keys they are the same for all heads
  int value_dim;
  float scale;             // of query · key
  bool bias = false;       // of the matrices that read x or make the output
  float norm_eps = 1e-6f;  // of the norms of latents
  QueryGrowth growth = {};
};

// Multi-head latent attention (DeepSeek). Keys and values of a head are made of a latent by
// matrices; those are applied to the query and to the sum of latents instead, so that all heads
// attend to the latents themselves, and only these are kept. A GPU makes keys and values for a long
// part of a prompt; a CPU never does, since a row would then depend on what is read beside it.
class LatentAttention {
 public:
  LatentAttention(WeightStore& weights, const std::string& path,
                  const LatentAttentionOptions& options);

  // As Attention.
  mx::array operator()(const Normed& x, const AttentionStep& step, LatentCache& cache,
                       const std::optional<mx::array>& residual) const;

  struct Row {
    RopeAngles angles;
    LatentCache& cache;
  };
  mx::array step(const Normed& x, std::span<const Row> rows,
                 const std::optional<mx::array>& residual) const;

 private:
  // The projections of x.
  struct Projected {
    mx::array queries;  // [1, L, heads · (plain_dim + rotary_dim)]
    mx::array latents;  // [1, L, rank], normed
    mx::array keys;     // [1, L, rotary_dim], not rotated
  };
  Projected project(const Normed& x) const;
  // The products of x with the first matrix for queries, and with that for latents and keys.
  std::vector<mx::array> project_both(const Normed& x) const;
  mx::array queries_of(const mx::array& projected) const;

  // Rows of a cache, not rotated, and queries for them, side by side: [1, L, width],
  // [1, L, heads · width].
  int width() const { return options_.rotary_dim + options_.rank; }
  mx::array rows_of(const Projected& p) const;
  mx::array queries_for_rows(const Projected& p, std::span<const int> positions) const;
  cpu::AttentionShape kernel_shape() const;
  // -> [1, outputs, heads · value_dim]
  mx::array values_of(const mx::array& attended) const;
  mx::array attend_in_place(const Projected& p, const AttentionStep& step,
                            LatentCache& cache) const;
  mx::array attend_rows_in_place(const Projected& p, std::span<const Row> rows) const;
  mx::array attend_in_graph(const Projected& p, const AttentionStep& step,
                            LatentCache& cache) const;
  // Each sequence by itself.
  mx::array attend_each(const Projected& p, std::span<const Row> rows) const;
  // Whether making the keys and values of all heads takes fewer multiplications: with many queries
  // it does.
  bool expands(int queries, int rows) const;
  // The two parts of queries [1, heads, outputs, ..], rows [1, 1, T, width] -> [1, heads, outputs,
  // value_dim]; by the keys and values of each head, or by the rows themselves.
  mx::array attend_to_heads(const mx::array& rotary, const mx::array& plain,
                            const mx::array& rows) const;
  mx::array attend_to_rows(const mx::array& rotary, const mx::array& plain, const mx::array& rows,
                           WindowMasks& masks) const;
  mx::array output(const mx::array& y, const std::optional<mx::array>& residual) const;

  LatentAttentionOptions options_;
  // Matrices that read x: for queries, and for latents and keys; or both as one.
  std::optional<Linear> first_, down_, fused_;
  // The second for queries.
  std::optional<Norm> query_norm_;
  std::optional<Linear> query_;
  Norm norm_;
  LatentHeads heads_;
  Linear output_;
};

}  // namespace llm_host
