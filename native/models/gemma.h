#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// What Gemma 2 and 3 have in common: norms before and after each part of a layer, all with weights
// 1 + w, and the factors of embedding and scores.
void set_gemma(const Config& config, const WeightStore& weights, DecoderConfig& c);

}  // namespace llm_host
