#pragma once

#include <cstdint>

namespace llm_host {

// A weight matrix in the layout of the CPU kernels, in blocks of 16 rows. Word w of row r is lane r
// of vector w of the block, so that 16 rows accumulate in the lanes of one register, and a thread
// reads memory in ascending order. A word is 8 weights of 4 bits or 4 of 8 (unsigned, lowest bits
// first, as in MLX), or 2 of bfloat16 or float16. A quantized block holds, for each group of
// columns, 16 scales, 16 biases, then the group's words. The last block is padded with zero rows.
struct PackedMatrix {
  enum class Kind { kAffine4, kAffine8, kBfloat16, kFloat16 };
  enum class Scales { kFloat16, kBfloat16, kFloat32 };

  const uint8_t* data = nullptr;  // aligned to 64 bytes
  int rows = 0;
  int cols = 0;        // even; for quantized kinds a multiple of group_size
  int group_size = 0;  // 32, 64 or 128; for dense kinds cols
  Kind kind = Kind::kBfloat16;
  Scales scales = Scales::kFloat32;

  static constexpr int kBlockRows = 16;

  bool quantized() const { return kind == Kind::kAffine4 || kind == Kind::kAffine8; }
  int weights_per_word() const {
    return kind == Kind::kAffine4 ? 8 : kind == Kind::kAffine8 ? 4 : 2;
  }
  int blocks() const { return (rows + kBlockRows - 1) / kBlockRows; }
  int groups() const { return cols / group_size; }
  int group_words() const { return group_size / weights_per_word(); }
  // Bytes of a group's scales; its biases take as many.
  int scale_bytes() const {
    return !quantized() ? 0 : kBlockRows * (scales == Scales::kFloat32 ? 4 : 2);
  }
  int64_t group_bytes() const { return 2 * scale_bytes() + int64_t{64} * group_words(); }
  int64_t block_bytes() const { return groups() * group_bytes(); }
  int64_t bytes() const { return blocks() * block_bytes(); }
};

// One row of a packed matrix as float32 [cols].
void unpack_row(const PackedMatrix& matrix, int row, float* out);

// A matrix as MLX stores it: affine words [rows, cols · bits / 32] with float32 scales and biases
// [rows, cols / group_size] (bits 4 or 8), or bfloat16 or float16 weights [rows, cols] (bits 0).
struct PackSource {
  const void* weight;
  const float* scales;
  const float* biases;
  int bits;
};

// The smallest type that represents all scales and biases exactly.
PackedMatrix::Scales smallest_scales(const float* scales, const float* biases, int64_t count);
// Packs `source` into `target` [matrix.bytes()], which becomes matrix.data.
void pack(PackedMatrix& matrix, const PackSource& source, uint8_t* target);

}  // namespace llm_host
