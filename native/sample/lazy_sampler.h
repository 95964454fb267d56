#pragma once

#include <memory>

#include "mlx/mlx.h"
#include "sample/sampler.h"

namespace llm_host {

// The sampler of one generation, as an operation on arrays: the next step's graph can be built on a
// token that is not known yet.
class LazySampler {
 public:
  LazySampler(SamplingParams params, std::span<const int32_t> prompt);

  // logits [V] float32 -> the token [1] int32. To be called with the steps in order from 0, each of
  // which must depend on the token of the one before: the penalties count it when it is computed.
  mlx::core::array operator()(const mlx::core::array& logits, uint64_t step) const;

 private:
  struct State {
    SamplingParams params;
    TokenHistory history;
  };
  std::shared_ptr<State> state_;
};

}  // namespace llm_host
