#pragma once

#include "models/feed_forward.h"

namespace llm_host {

// For missing keys of config.json.
struct GlmExpertDefaults {
  int experts = 128;
  int width = 1408;
  int per_token = 8;
  double scale = 1;
  int groups = 1;
  int kept_groups = 1;
  // No key says this: experts are chosen by a softmax, not by a sigmoid and a bias.
  bool softmax = false;
};

// Experts beside a network that every token goes through, as DeepSeek V3, GLM 4.5, Solar Open and
// Mistral 4 have them below `path`.mlp.
FeedForward glm_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                        const std::string& path, const GlmExpertDefaults& defaults = {});

// Dense networks in the first layers, as many as first_k_dense_replace or else `dense` says, or
// where mlp_layer_types has them; experts in the others. The configurations must outlive it.
FeedForwardMaker glm_feed_forwards(const Config& config, const DecoderConfig& c, int dense,
                                   const GlmExpertDefaults& defaults = {});

}  // namespace llm_host
