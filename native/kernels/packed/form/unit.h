#pragma once

#include "kernels/packed/form/matrix.h"

namespace llm_host {

// One row's part of a unit, before it is packed.
struct PackedUnit {
  static constexpr int kMaxColumns = 256, kMaxGroups = 16;

  uint8_t codes[kMaxColumns];
  // As float16: the scale and the bias (kFloat16), the scale (kSymmetric), d and dmin (kSixBits), d
  // (kSignedBytes).
  uint16_t scale = 0, bias = 0;
  uint8_t scales[kMaxGroups];  // of 6 bits, signed, or the one exponent
  uint8_t minima[kMaxGroups];
};

// Where row `row` begins in the memory of a matrix: its first unit's header; the next is
// unit_bytes() on.
inline uint8_t* row_start(const PackedMatrix& matrix, uint8_t* memory, int row) {
  return memory + row / PackedMatrix::kBlockRows * matrix.block_bytes();
}

// Packs the codes of `size` columns of a row, a whole number of groups of a quantized kind (for
// kFloat4: as stored); `words`: the row's lane of the first vector.
void pack_codes(PackedMatrix::Kind kind, const uint8_t* codes, int size, uint8_t* words);

// Packs a unit of row `row` into the unit with this header; for scales that a PackedUnit has.
void pack_unit(const PackedMatrix& matrix, const PackedUnit& unit, int row, uint8_t* header);

}  // namespace llm_host
