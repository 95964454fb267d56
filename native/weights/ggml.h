#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/float16.h"
#include "kernels/packed/matrix.h"

namespace llm_host {

// A ggml block type. Packed, it keeps its weights and its size; otherwise it is converted to MLX's
// affine form in groups of 32. That is exact except for Q6_K: there, two groups of 16 have to share
// a scale, which moves a weight by at most 1/510 of the range of the 32.
struct GgmlType {
  std::string_view name;
  int block;  // weights
  int block_bytes;
  int bits;  // of the affine form
  // Of the packed form.
  PackedMatrix::Kind kind;
  PackedMatrix::Scales scales;
  int zero = 0;
};

inline constexpr int kGgmlGroup = 32;

// nullptr if `dtype` is not a supported block type.
const GgmlType* ggml_type(std::string_view dtype);

// Rewrites `blocks` blocks as affine groups of 32, w = scale·q + bias: 4 or 8 words, one scale and
// one bias a group.
void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases);

// The layout of a matrix of this type; `cols` is a multiple of a block.
PackedMatrix packed_layout(const GgmlType& type, int rows, int cols);
// Packs a row's blocks as row `row` of `target`, the memory of a matrix with that layout. Returns
// the first block with a scale that is infinite or not a number, or -1.
int pack_ggml_row(const GgmlType& type, const uint8_t* blocks, const PackedMatrix& layout, int row,
                  uint8_t* target);

}  // namespace llm_host
