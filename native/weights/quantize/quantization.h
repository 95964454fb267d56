#pragma once

#include <string>

#include "common/value.h"

namespace llm_host {

// How the weights of one module are quantized.
struct Quantization {
  int group_size = 0;
  int bits = 0;
  std::string mode = "affine";
};

// For messages.
extern const char kSupportedQuantizations[];

// Throws MODEL_UNSUPPORTED if MLX has no kernels for it; the message starts with `where`.
void check_quantization(const Quantization& quantization, const std::string& where);

// How module `path`, with rows of `in` weights, is quantized: what its shapes say (`words` and
// `groups` a row; `byte_scales`: its scales are bytes), checked against the module's own entry in
// config.json's `quantization`, or else its defaults. If other modules have entries and this one
// has none, the shapes decide: converters rename modules without renaming their entries.
Quantization quantization_of(const Config& config, const std::string& path,
                             const std::string& tensor, int in, int64_t words, int64_t groups,
                             bool byte_scales);

}  // namespace llm_host
