#pragma once

#include <string>

#include "common/value.h"

namespace llm_host {

// How the weights of one module are packed.
struct Quantization {
  int group_size = 0;
  int bits = 0;
  std::string mode = "affine";
};

// "affine 2-8 bit ..., mxfp4, ...": for messages.
extern const char kSupportedQuantizations[];

// Throws MODEL_UNSUPPORTED for what MLX has no kernels for; `where` is named in the error.
void check_quantization(const Quantization& quantization, const std::string& where);

// How module `path` with rows of `in` weights is packed: what its shapes say (`words` and `groups`
// a row), checked against config.json's `quantization`. `byte_scales`: its scales are bytes. The
// module's own entry must fit, or else the defaults. Where other modules have entries but this one
// has none, the shapes decide: converters rename modules and leave the entries as they were.
Quantization quantization_of(const Config& config, const std::string& path,
                             const std::string& tensor, int in, int64_t words, int64_t groups,
                             bool byte_scales);

}  // namespace llm_host
