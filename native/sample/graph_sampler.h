#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mlx/mlx.h"
#include "sample/sampler.h"

namespace llm_host {

namespace mx = mlx::core;

// The sampler of one generation by MLX's operations, so that a GPU need not wait for the host
// between two tokens. It chooses as sample() does, with other random numbers (MLX's, by a key of
// seed and step), and keeps all tokens that are as likely as the last one within top-p.
class GraphSampler {
 public:
  // `params` must outlive this.
  GraphSampler(const SamplingParams& params, std::span<const int32_t> prompt);

  // logits [V] float32 -> the token [1] int32; -1 if they are not finite numbers. Call it with
  // steps 0, 1, 2, ...: it counts the tokens that it returns.
  mx::array operator()(const mx::array& logits, uint64_t step);

  // The tokens it has counted, to go back to; nothing if it need not count.
  std::optional<mx::array> counts() const { return counts_; }
  void restore(std::optional<mx::array> counts) { counts_ = std::move(counts); }

 private:
  mx::array penalised(const mx::array& logits);
  // Only what the reply may begin with; `total` is the logits' logsumexp.
  mx::array first_scores(mx::array scores, const mx::array& logits, const mx::array& total) const;
  mx::array truncated(const mx::array& scores) const;
  mx::array chosen(const mx::array& scores, uint64_t step) const;
  void make_state(int vocab);

  const SamplingParams& params_;
  std::vector<int32_t> prompt_, continued_;
  // [V] float32 each, if there are penalties.
  std::optional<mx::array> bias_, in_prompt_, counts_;
};

}  // namespace llm_host
