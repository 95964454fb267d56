#pragma once

#include "mlx/mlx.h"
#include "sample/sampler.h"

namespace llm_host {

// logits [V] -> the token [1] int32, lazily: the next step's graph can be built on it.
mlx::core::array sample_op(const mlx::core::array& logits, const SamplingParams& params,
                           uint64_t step);

}  // namespace llm_host
