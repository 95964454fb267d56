#pragma once

#include <functional>
#include <optional>
#include <span>

#include "kernels/attention/attention.h"
#include "layers/attention/head_positions.h"
#include "layers/attention/query_growth.h"
#include "layers/attention/window_masks.h"
#include "layers/cache/layer_cache.h"
#include "layers/encoder/text_masks.h"
#include "layers/linear.h"
#include "layers/norm.h"
#include "layers/rope/rope.h"

namespace llm_host {

// Which RMSNorms queries and keys have.
enum class QkNorm {
  kNone,
  kHeads,         // over the channels of each head, before rotation
  kRotatedHeads,  // the same, after it
  kWhole,         // over all heads together, before rotation
};

struct AttentionOptions {
  int hidden;
  int heads;
  int kv_heads;
  int head_dim;
  float scale;  // of query · key; 1 / sqrt(head_dim) for most
  bool qkv_bias = false;
  bool output_bias = false;
  int window = 0;  // tokens that a token sees, itself included; 0 = all before it
  QkNorm qk_norm = QkNorm::kNone;
  NormOptions norm = {};  // of qk_norm
  // Reads `path`.sinks [heads]: a logit per head that takes part in the softmax and has no value.
  bool sinks = false;
  QueryGrowth growth = {};
  // Gemma 2: scores become cap · tanh(score / cap); 0 = off.
  float score_cap = 0;
  // q_proj has, behind the queries of each head, as many rows for a gate: the head's output is
  // multiplied by its sigmoid.
  bool output_gate = false;
  // `path`.g_proj makes a gate for the output: its softplus, for each head or for each channel, or
  // its sigmoid for each head.
  enum class Gate { kNone, kSoftplusHeads, kSoftplusChannels, kSigmoidHeads } gate = Gate::kNone;
  // Gemma 4: values have a norm over the channels of each head too, without weights.
  bool value_norm = false;
  // Values are the keys before norm and rotation: there is no v_proj.
  bool keys_as_values = false;
  // The cache is another layer's, which has added the keys and values of these positions already:
  // there are no k_proj and v_proj.
  bool shares_cache = false;
  float output_factor = 1;  // of what the last matrix multiplies
  // Names of the parts. Where the weights have qkv_proj, its rows are [q | k | v].
  const char* output = "o_proj";
  const char* query_norm = "q_norm";
  const char* key_norm = "k_norm";
};

// The inputs that all layers of a step share.
struct AttentionStep {
  const RopeAngles& angles;
  WindowMasks& masks;
  HeadPositions& positions;
  int outputs;  // the last positions that are asked for
};

// The inputs that all layers of a pass over whole texts share.
struct AttentionTexts {
  const TextBatch& batch;
  const RopeAngles& angles;
  TextMasks& masks;
  bool causal;  // a token sees itself and those before it only
};

// Grouped-query self-attention.
class Attention {
 public:
  Attention(WeightStore& weights, const std::string& path, const AttentionOptions& options);

  // x [1, L, hidden] -> the last `outputs` positions [1, outputs, hidden], plus `residual`.
  mx::array operator()(const Normed& x, const AttentionStep& step, AttentionCache& cache,
                       const std::optional<mx::array>& residual) const;

  // One of several sequences.
  struct Row {
    RopeAngles angles;  // a copy: those of one length may be overwritten by another's
    AttentionCache& cache;
  };
  // The next token of each: x [1, rows, hidden] -> [1, rows, hidden], plus `residual`. Rows that
  // follow each other with the same cache are consecutive tokens of one sequence.
  mx::array step(const Normed& x, std::span<const Row> rows,
                 const std::optional<mx::array>& residual) const;

  // Whole texts, without a cache: x [1, rows · columns of the batch, hidden] -> the same shape,
  // plus `residual`. Only if `reads_texts`.
  mx::array texts(const Normed& x, const AttentionTexts& texts,
                  const std::optional<mx::array>& residual) const;
  bool reads_texts() const;

 private:
  // q [1, L, heads · head_dim], k and v [1, L, kv_heads · head_dim]; or all side by side.
  using Projected = std::vector<mx::array>;
  struct Input {
    Projected projected;
    std::optional<mx::array> gate;  // [1, L, heads · head_dim], or [1, L, heads]
  };
  bool side_by_side(const Projected& p) const { return p.size() == 1 && !options_.shares_cache; }

  void load_projections(WeightStore& weights, const std::string& path);
  // The projections of queries, keys and values, as far as there are any.
  Linear::Parts projections() const;
  bool packed() const;
  // By packed matrices -> q | k | v side by side.
  mx::array project_packed(const Normed& x) const;
  Projected split(const mx::array& side_by_side) const;
  Input project(const Normed& x) const;
  // Takes the gate out of the queries.
  mx::array take_gate(mx::array& queries) const;
  // Whether a GPU norms and rotates queries and keys together.
  bool together() const;
  mx::array gated(const mx::array& y, const mx::array& gate) const;
  // `gate`: of as many positions as y, or of those before too.
  mx::array output(mx::array y, const std::optional<mx::array>& gate,
                   const std::optional<mx::array>& residual) const;
  // The attention of positions that come next in a cache -> [1, outputs, heads · head_dim]. In a
  // shared one they are the newest, but for `later`.
  mx::array attend(Projected p, const AttentionStep& step, AttentionCache& cache,
                   int later = 0) const;
  mx::array attend_shared(const mx::array& queries, const AttentionStep& step,
                          const AttentionCache& cache, int later) const;
  // Attention by MLX's own operations.
  mx::array attend_in_graph(const Projected& p, const AttentionStep& step,
                            AttentionCache& cache) const;
  // [1, L, heads · head_dim] -> [1, heads, L, head_dim], and back.
  mx::array split_heads(const mx::array& x, int heads) const;
  mx::array merged_heads(const mx::array& y) const;
  // Queries of the last `outputs` positions [1, heads, outputs, head_dim], rotated; x begins at
  // position `offset`.
  mx::array rotated_queries(const mx::array& x, const AttentionStep& step, int offset) const;
  // Queries of the last `outputs` positions, keys and values: [1, heads, L, head_dim] each. Queries
  // and keys are rotated.
  Projected rotated_heads(const Projected& p, const AttentionStep& step, int offset) const;
  // The rotated projections, from all three side by side.
  Projected rotated_together(const mx::array& side_by_side, const AttentionStep& step,
                             int offset) const;
  // Whether a token's keys and values can be added as one, since one operation rotates the keys
  // beside the values.
  bool appends_joined(const Projected& p, const AttentionStep& step,
                      const AttentionCache& cache) const;
  // The attention of such a token -> [1, heads, 1, head_dim]
  mx::array attend_joined(const mx::array& side_by_side, const AttentionStep& step,
                          AttentionCache& cache) const;
  // The attention of whole texts by MLX's operations, of the same shape as queries.
  mx::array attend_texts_in_graph(const Projected& p, const AttentionTexts& texts) const;
  void load_norms(WeightStore& weights, const std::string& path);
  // The norms before rotation of queries and keys that are apart.
  void norm(Projected& p) const;
  // Queries and keys [1, heads + kv_heads, L, head_dim], each head normed by itself.
  mx::array normed_together(const mx::array& heads) const;
  // The next token of several sequences. By our own kernels, nothing where the caches have no
  // buffers for them; or of each by itself.
  std::optional<mx::array> attend_in_buffers(Projected p, std::span<const Row> rows) const;
  mx::array attend_each(const Projected& p, std::span<const Row> rows) const;
  cpu::AttentionShape kernel_shape() const;
  mx::array attend_in_place(const Projected& p, const AttentionCache::Buffers& buffers,
                            const AttentionStep& step) const;
  // Rows of q_proj for a head.
  int query_dim() const { return (options_.output_gate ? 2 : 1) * options_.head_dim; }
  // Rotated queries [1, heads, L, head_dim] from `position` on: weighted and grown.
  mx::array finished(const mx::array& q, int position) const;
  mx::array attend_view(const mx::array& q, const AttentionCache::View& kv,
                        const AttentionStep& step) const;
  mx::array attend_quantized(const mx::array& q, const AttentionCache::Quantized& kv,
                             WindowMasks& masks) const;
  // Scores, their softmax and the sum of values, each by an operation of its own; see score_cap.
  // q [1, heads, outputs, head_dim] -> the same shape. `scores_of` takes queries and `values_of`
  // weights of shape [1, kv_heads, heads of each, outputs, ..].
  using Product = std::function<mx::array(const mx::array&)>;
  mx::array attend_by_products(const mx::array& q, int total, WindowMasks& masks,
                               const Product& scores_of, const Product& values_of) const;

  AttentionOptions options_;
  std::optional<Linear> query_, key_, value_, fused_;  // as many as there are, or `fused_`
  std::optional<Linear> gate_;                         // of options_.gate
  Linear output_;
  std::optional<Norm> query_norm_, key_norm_, value_norm_;
  std::optional<mx::array> head_weights_;  // of both norms: [heads + kv_heads, 1, head_dim]
  cpu::AttentionExtras extras_;            // for the other operations too
};

}  // namespace llm_host
