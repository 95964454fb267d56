#pragma once

#include "models/decoder_config.h"

namespace llm_host {

// Sets the common part of Gemma 2 and 3: norms before and after each part of a layer, all with
// weights 1 + w, and the factors of embedding and scores.
void set_gemma(const Config& config, const WeightStore& weights, DecoderConfig& c);

// √size, rounded to a type as in training; mlx-lm rounds to bfloat16 even for float32 weights.
float rounded_root(int size, mx::Dtype dtype);

// The layer whose keys and values each layer attends to: for the last `shared` ones the last of
// their type before them, for others their own.
std::vector<int> shared_caches(const std::vector<std::string>& types, int shared);

// Ignores keys and values that checkpoints still hold for layers that share those of others.
void ignore_shared(WeightStore& weights, const std::vector<int>& cache_of);

// Gemma 3's rotation by layer type: rope_scaling applies to the full layers only; the others rotate
// faster, unscaled.
std::vector<std::shared_ptr<const Rope>> gemma_ropes(const Config& config, const DecoderConfig& c,
                                                     const std::vector<std::string>& types);

}  // namespace llm_host
