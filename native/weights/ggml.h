#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/float16.h"

namespace llm_host {

// The ggml block types that become MLX's affine form in groups of 32. All but Q6_K keep every
// weight; its groups of 16 share a scale with their neighbour here, which moves a weight by at most
// 1/510 of the range of the 32.
struct GgmlType {
  std::string_view name;
  int block;  // weights
  int block_bytes;
  int bits;  // of the affine form
};

inline constexpr int kGgmlGroup = 32;

// nullptr if `dtype` is no supported block type.
const GgmlType* ggml_type(std::string_view dtype);

// Rewrites `blocks` blocks as affine groups of 32: packed words (4 or 8 per group), one scale and
// one bias a group, so that w = scale·q + bias.
void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases);

}  // namespace llm_host
