#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/float16.h"
#include "kernels/packed/form/matrix.h"

namespace llm_host {

// A ggml block type. Packed, it keeps its weights, and its size but for Q3_K (6 bits), ternary
// blocks (4) and IQ4 (8); scales of IQ4_XS are rounded to float16, and weights of Q2_K to 8 bits.
// Otherwise it is converted to MLX's affine form in groups of 32, MXFP4 to MLX's mxfp4. That is as
// exact, except for Q3_K and Q6_K: there, two groups of 16 have to share a scale, which moves a
// weight by at most 1/510 of the range of the 32.
struct GgmlType {
  std::string_view name;
  int block;  // weights
  int block_bytes;
  int unit;  // weights of a unit of the packed form
  int bits;  // of the affine form
  // The kind of the packed form.
  PackedMatrix::Kind kind;
  PackedMatrix::Scales scales;
  int zero = 0;

  bool floats() const { return kind == PackedMatrix::Kind::kFloat4; }
};

inline constexpr int kGgmlGroup = 32;

// nullptr if `dtype` is not a supported block type.
const GgmlType* ggml_type(std::string_view dtype);

// Rewrites `blocks` blocks as affine groups of 32, w = scale·q + bias: 4 or 8 words, one scale and
// one bias a group. Not for floats().
void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases);

// Repacks MXFP4 as mxfp4: 4 words and an exponent a block.
void repack_mxfp4(const uint8_t* source, int64_t blocks, uint32_t* words, uint8_t* exponents);

// The layout of a matrix of this type; `cols` is a multiple of a block.
PackedMatrix packed_layout(const GgmlType& type, int rows, int cols);
// Packs a row's blocks as row `row` of `target`, the memory of a matrix with that layout. Returns
// the first block with a scale that is infinite or not a number, or -1.
int pack_ggml_row(const GgmlType& type, const uint8_t* blocks, const PackedMatrix& layout, int row,
                  uint8_t* target);

}  // namespace llm_host
