#pragma once

#include "models/feed_forward.h"

namespace llm_host {

// Experts chosen by a sigmoid and a bias, beside a network that every token goes through, as GLM
// 4.5 and Solar Open have them below `path`.mlp.
FeedForward glm_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                        const std::string& path);

}  // namespace llm_host
