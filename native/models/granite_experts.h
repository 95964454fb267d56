#pragma once

#include "models/decoder.h"

namespace llm_host {

// Granite's mixture of experts below `path`: softmax over the best logits of
// `path`.router.layer.
FeedForward granite_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                            const std::string& path);

}  // namespace llm_host
