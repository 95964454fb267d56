#pragma once

#include <cstdint>

namespace llm_host {

// A weight matrix in the layout of the CPU kernels, in blocks of 16 rows. Word w of row r is lane r
// of vector w of the block, so that 16 rows accumulate in the lanes of one register, and a thread
// reads memory in ascending order. The last block is padded with zero rows.
//
// A word of a dense matrix is two columns. A quantized block is a series of units: a header with
// the scales of one or several groups of columns, then each group's codes: weight = scale · code +
// bias. A word of codes is 8 columns of 4 bits or 4 of 8 (unsigned, lowest bits first, as in MLX).
// Codes of 5 and 6 bits have words of low nibbles as for 4 bits, and after each 4 or 2 of them one
// with the upper bits: byte j, from bit 2k (or k) on, belongs to column 8·(k / 2) + 2j + k % 2.
struct PackedMatrix {
  enum class Kind { kAffine4, kAffine5, kAffine6, kAffine8, kBfloat16, kFloat16 };
  // What the header holds of 16 rows.
  enum class Scales {
    // One group's scales, then its biases.
    kFloat16,
    kBfloat16,
    kFloat32,
    // One group's scales in float16; bias = -zero · scale.
    kSymmetric,
    // Of 8 groups, as in ggml's Q4_K and Q5_K: float16 d and dmin, then three words a row with 4
    // bits a group of the scales, of the minima, and 2 more bits of the scale and the minimum:
    // scale = d · scales[g], bias = -dmin · minima[g].
    kSixBits,
    // Of 16 groups, as in ggml's Q6_K: float16 d, then the groups' signed bytes: scale = d ·
    // scales[g], bias = -zero · scale.
    kSignedBytes,
  };

  const uint8_t* data = nullptr;  // aligned to 64 bytes
  int rows = 0;
  int cols = 0;        // even; for quantized kinds a multiple of a unit's columns
  int group_size = 0;  // 16, 32, 64 or 128; for dense kinds cols
  Kind kind = Kind::kBfloat16;
  Scales scales = Scales::kFloat32;
  int zero = 0;  // see Scales

  static constexpr int kBlockRows = 16;

  // Groups that share a header, and bytes of the header.
  static constexpr int unit_groups(Scales scales) {
    return scales == Scales::kSixBits ? 8 : scales == Scales::kSignedBytes ? 16 : 1;
  }
  static constexpr int header_bytes(Scales scales) {
    switch (scales) {
      case Scales::kFloat32:
        return 128;
      case Scales::kSymmetric:
        return 32;
      case Scales::kSixBits:
        return 256;
      case Scales::kSignedBytes:
        return 288;
      default:
        return 64;
    }
  }

  bool quantized() const { return kind != Kind::kBfloat16 && kind != Kind::kFloat16; }
  int bits() const {
    switch (kind) {
      case Kind::kAffine4:
        return 4;
      case Kind::kAffine5:
        return 5;
      case Kind::kAffine6:
        return 6;
      case Kind::kAffine8:
        return 8;
      default:
        return 16;
    }
  }
  int blocks() const { return (rows + kBlockRows - 1) / kBlockRows; }
  int groups() const { return cols / group_size; }
  int unit_groups() const { return quantized() ? unit_groups(scales) : 1; }
  int header_bytes() const { return quantized() ? header_bytes(scales) : 0; }
  // Vectors of a group's codes.
  int group_words() const { return static_cast<int>(int64_t{group_size} * bits() / 32); }
  int64_t group_bytes() const { return int64_t{64} * group_words(); }
  int64_t unit_bytes() const { return header_bytes() + unit_groups() * group_bytes(); }
  int64_t block_bytes() const { return groups() / unit_groups() * unit_bytes(); }
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
