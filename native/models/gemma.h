#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// What Gemma 2 and 3 have in common: norms before and after each part of a layer, all with weights
// 1 + w, and the factors of embedding and scores.
void set_gemma(const Config& config, const WeightStore& weights, DecoderConfig& c);

// √size, rounded to a type as in training; mlx-lm rounds to bfloat16 even for float32 weights.
float rounded_root(int size, mx::Dtype dtype);

// The layer whose keys and values each layer attends to: for the last `shared` ones the last of
// their type before them, for others their own.
std::vector<int> shared_caches(const std::vector<std::string>& types, int shared);

// What checkpoints still have of the keys and values of layers that share others' stays unused.
void ignore_shared(WeightStore& weights, const std::vector<int>& cache_of);

// Gemma 3's rotation by layer type: rope_scaling applies to the full layers only; the others rotate
// faster, unscaled.
std::vector<std::shared_ptr<const Rope>> gemma_ropes(const Config& config, const DecoderConfig& c,
                                                     const std::vector<std::string>& types);

}  // namespace llm_host
