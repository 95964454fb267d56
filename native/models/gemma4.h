#pragma once

#include "models/decoder.h"

namespace llm_host {

// What missing keys of config.json mean.
struct Gemma4Defaults {
  int max_positions;
  int window;
  int per_layer_size;  // of the embeddings for each layer; 0: there are none
};

// gemma3 with norms as stored, norms of values without weights, unscaled scores and larger heads
// in full layers, whose values may be their keys; further embeddings for each layer; the last
// layers may share the keys and values of earlier ones; a factor after each layer; and in some
// models experts beside the feed-forward network.
std::unique_ptr<Model> make_gemma4(const Config& config, WeightStore& weights, int context_length,
                                   const Gemma4Defaults& defaults);

}  // namespace llm_host
