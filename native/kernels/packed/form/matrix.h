#pragma once

#include <cstdint>

namespace llm_host {

// A weight matrix in the layout of the CPU kernels, in blocks of 16 rows. Word w of row r is lane r
// of vector w of the block, so that 16 rows accumulate in the lanes of one register, and a thread
// reads memory in ascending order. The last block is padded with zero rows.
//
// A word of a dense matrix is two columns. A quantized block is a series of units: a header with
// the scales of one or several groups of columns, then each group's codes: weight = scale · code +
// bias. A word of codes is 16 columns of 2 bits, 8 of 4 or 4 of 8 (unsigned, lowest bits first, as
// in MLX). Codes of 3, 5 and 6 bits have words of low bits, 2 or 4 each, and after every 2, 4 or 2
// of them one with the upper bits: see code_at in matrix.cc. kFloat4 is four bits that stand for
// the codes of kFloat4Codes.
struct PackedMatrix {
  enum class Kind {
    kAffine2,
    kAffine3,
    kAffine4,
    kAffine5,
    kAffine6,
    kAffine8,
    kFloat4,
    kBfloat16,
    kFloat16
  };
  // The header's contents for 16 rows.
  enum class Scales {
    // One group's scales, then its biases.
    kFloat16,
    kBfloat16,
    kFloat32,
    // One group's scales in float16; bias = -zero · scale.
    kSymmetric,
    // For 8 groups, as in ggml's Q4_K and Q5_K: float16 d and dmin, then three words a row with 4
    // bits a group of the scales, of the minima, and 2 more bits of the scale and the minimum:
    // scale = d · scales[g], bias = -dmin · minima[g].
    kSixBits,
    // For 16 groups, as in ggml's Q6_K: float16 d, then the groups' signed bytes: scale = d ·
    // scales[g], bias = -zero · scale.
    kSignedBytes,
    // One group's, for kFloat4: a byte with twice the scale as a power of two (the exponent with a
    // bias of 127, as in mxfp4) or as a float of 4 exponent and 3 mantissa bits (as in nvfp4);
    // bias = -zero · scale.
    kExponents,
    kFloat8,
  };

  const uint8_t* data = nullptr;  // aligned to 64 bytes
  int rows = 0;
  int cols = 0;        // even; for quantized kinds a multiple of a unit's columns
  int group_size = 0;  // 16, 32, 64 or 128; for dense kinds cols
  Kind kind = Kind::kBfloat16;
  Scales scales = Scales::kFloat32;
  int zero = 0;  // see Scales

  static constexpr int kBlockRows = 16;

  // Twice the values of 4-bit floats (a sign, two bits of exponent, one of mantissa), plus the
  // zero that makes them unsigned.
  static constexpr int kFloat4Zero = 12;
  static constexpr uint8_t kFloat4Codes[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                               12, 11, 10, 9,  8,  6,  4,  0};

  // A code's bits that are in the words of low bits, and those beyond.
  static constexpr int low_bits(Kind kind) {
    if (kind == Kind::kAffine2 || kind == Kind::kAffine3) return 2;
    return kind == Kind::kAffine8 ? 8 : 4;
  }
  static constexpr int upper_bits(Kind kind) {
    if (kind == Kind::kAffine6) return 2;
    return kind == Kind::kAffine3 || kind == Kind::kAffine5 ? 1 : 0;
  }
  // Columns for each byte of a word of low bits.
  static constexpr int phases(Kind kind) { return 8 / low_bits(kind); }
  // Words of low bits before one of upper bits; 1 if there are none of those.
  static constexpr int low_words(Kind kind) {
    return upper_bits(kind) == 0 ? 1 : 8 / upper_bits(kind) / phases(kind);
  }

  // Groups that share a header, and bytes of the header.
  static constexpr int unit_groups(Scales scales) {
    return scales == Scales::kSixBits ? 8 : scales == Scales::kSignedBytes ? 16 : 1;
  }
  static constexpr int kMostUnitGroups = 16;
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
      case Scales::kExponents:
      case Scales::kFloat8:
        return 16;
      default:
        return 64;
    }
  }

  // Whether a bias is -zero · scale.
  static constexpr bool symmetric(Scales scales) {
    return scales == Scales::kSymmetric || scales == Scales::kSignedBytes ||
           scales == Scales::kExponents || scales == Scales::kFloat8;
  }

  bool quantized() const { return kind != Kind::kBfloat16 && kind != Kind::kFloat16; }
  int bits() const { return quantized() ? low_bits(kind) + upper_bits(kind) : 16; }
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

// Rows of a matrix as MLX stores it: affine words [rows, cols · bits / 32] with scales and biases
// [rows, cols / group_size]; 4-bit floats with scales of a byte; or bfloat16 or float16 weights
// [rows, cols].
struct PackSource {
  const void* weight;
  // float32, or of the type that the packed matrix holds: see `packed_type`.
  const void* scales = nullptr;
  const void* biases = nullptr;
  const uint8_t* byte_scales = nullptr;
  bool packed_type = false;
};

// The source's rows from row `row` on.
PackSource from_row(const PackedMatrix& matrix, PackSource source, int64_t row);

// The smallest type that represents all scales and biases exactly.
PackedMatrix::Scales smallest_scales(const float* scales, const float* biases, int64_t count);
// Packs `source` into `target` [matrix.bytes()], which becomes matrix.data.
void pack(PackedMatrix& matrix, const PackSource& source, uint8_t* target);
// Packs `count` rows, at most kBlockRows, of which the source has the first one, into a block of
// the matrix, whose other rows become zero.
void pack_block(const PackedMatrix& matrix, const PackSource& source, int count, uint8_t* block);

}  // namespace llm_host
