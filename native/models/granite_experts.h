#pragma once

#include "models/decoder.h"

namespace llm_host {

// Granite's mixture of experts, read from below `path`: softmax over the top-k logits of the
// router.
FeedForward granite_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                            const std::string& path);

}  // namespace llm_host
