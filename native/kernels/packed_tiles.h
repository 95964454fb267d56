#pragma once

#include "kernels/packed_kernels.h"

namespace llm_host {

// What affine weights grow by before they are cut off to bfloat16: half a last place on average, as
// much as the cut takes. Rounding takes five operations, the cut two.
constexpr float kBeforeCut = 1 + 0.36f / 128;

// Products of many vectors at once by a matrix unit that multiplies tiles of bfloat16 numbers
// and sums in float32. Quantised weights become bfloat16 on the way.
struct PackedTiles {
  const char* name;
  // x [cols] -> bfloat16, to nearest.
  void (*round)(const float* x, int cols, uint16_t* out);
  // As PackedKernels::multiply. x [m filled up to whole tiles with anything, cols].
  void (*multiply)(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
                   const PackedOutput& out);
};

// Vectors that fill a tile: fewer are not worth it.
constexpr int kTileVectors = 16;
// Columns of a tile: a matrix must have a multiple of it.
constexpr int kTileColumns = 32;

// nullptr if the build, the CPU or the system has no such unit.
const PackedTiles* packed_tiles();

}  // namespace llm_host
