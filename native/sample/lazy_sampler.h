#pragma once

#include <memory>

#include "mlx/mlx.h"
#include "sample/graph_sampler.h"
#include "sample/sampler.h"

namespace llm_host {

// The sampler of one generation as an operation on arrays, so that the next step's graph can be
// built before its token is known.
class LazySampler {
 public:
  LazySampler(SamplingParams params, std::span<const int32_t> prompt);

  // logits [V] float32 -> the token [1] int32. Call it with steps 0, 1, 2, ...; the logits of each
  // must depend on the token before, which the penalties count when it is computed.
  mlx::core::array operator()(const mlx::core::array& logits, uint64_t step) const;

 private:
  struct State {
    SamplingParams params;
    TokenHistory history;
    std::optional<GraphSampler> in_graph;  // where the device policy wants that
  };
  std::shared_ptr<State> state_;
};

}  // namespace llm_host
