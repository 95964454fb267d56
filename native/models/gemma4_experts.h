#pragma once

#include "models/decoder.h"

namespace llm_host {

// Gemma 4's feed-forward network beside a mixture of experts: norm, network and norm of each, on
// the residual stream as it is. `intermediate`: width of the network.
FeedForward gemma4_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                           const std::string& path, int intermediate);

}  // namespace llm_host
