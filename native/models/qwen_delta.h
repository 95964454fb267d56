#pragma once

#include "models/decoder.h"

namespace llm_host {

// The common part of Qwen3-Next and Qwen 3.5: Gated DeltaNet in three layers of four, and in the
// others attention with a gate, norms of q and k, and rotation of a quarter of each head.
struct QwenDelta {
  QwenDelta(const Config& config, WeightStore& weights, int max_positions);

  DecoderConfig decoder;
  DecoderParts parts;
};

// A mixture of experts beside one that every token goes through, with a gate.
FeedForward qwen_shared_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                                const std::string& path, bool normalise);

}  // namespace llm_host
