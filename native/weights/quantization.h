#pragma once

#include <string>

#include "engine/value.h"

namespace llm_host {

struct Quantization {
  int group_size;
  int bits;
};

// What config.json's `quantization` says of the module `path`: its own entry, or the defaults.
// Throws MODEL_UNSUPPORTED for a mode other than affine, or sizes that MLX lacks.
Quantization quantization_of(const Config& config, const std::string& path);

}  // namespace llm_host
