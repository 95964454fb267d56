#pragma once

#include "models/decoder.h"

namespace llm_host {

// The common part of lfm2 and lfm2_moe: names, and a short convolution in place of attention in
// most layers.
struct Lfm2Base {
  explicit Lfm2Base(const Config& config);

  // `path`.feed_forward as a dense network.
  FeedForward dense(WeightStore& weights, const std::string& path, int intermediate) const;

  DecoderConfig decoder;
  DecoderParts parts;
};

}  // namespace llm_host
