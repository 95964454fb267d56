#pragma once

#include "models/decoder.h"

namespace llm_host {

// What lfm2 and lfm2_moe share: their names, and a short convolution in place of attention in most
// layers.
struct Lfm2Base {
  explicit Lfm2Base(const Config& config);

  // `path`.feed_forward as one network for all tokens.
  FeedForward dense(WeightStore& weights, const std::string& path, int intermediate) const;

  DecoderConfig decoder;
  DecoderParts parts;
};

}  // namespace llm_host
