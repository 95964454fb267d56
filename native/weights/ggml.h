#pragma once

#include <cstdint>
#include <string_view>

namespace llm_host {

// The ggml block types that are MLX's affine form with another layout: 32 weights and their scale.
//   Q4_0: f16 d, 16 bytes of nibbles        w = d·q − 8d
//   Q4_1: f16 d, f16 m, 16 bytes of nibbles w = d·q + m
//   Q8_0: f16 d, 32 signed bytes            w = d·q
// Low nibbles are weights 0..15, high nibbles 16..31.
struct GgmlType {
  std::string_view name;
  int block_bytes;
  int bits;
};

inline constexpr int kGgmlBlock = 32;

// nullptr if `dtype` is no supported block type.
const GgmlType* ggml_type(std::string_view dtype);

// Rewrites `blocks` blocks as affine groups of 32: packed words (4 or 8 per block), one scale and
// one bias a block, so that w = scale·q + bias.
void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases);

float half_to_float(uint16_t half);

}  // namespace llm_host
