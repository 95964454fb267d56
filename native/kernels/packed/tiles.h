#pragma once

#include "kernels/packed/kernels.h"

namespace llm_host {

// What affine weights grow by before they are cut off to bfloat16: half a last place on average, as
// much as the cut takes. Rounding takes five operations, the cut two.
constexpr float kBeforeCut = 1 + 0.36f / 128;

// Products of many vectors at once by a matrix unit that multiplies tiles of bfloat16 numbers
// and sums in float32. Quantized weights become bfloat16 on the way.
struct PackedTiles {
  const char* name;
  // Row `row` of x [m, cols], to the nearest bfloat16, where `out` has it: for every 16 rows tiles
  // of 32 columns, one behind the other [m / 16][cols / 32][16][32], so that a tile is
  // read in one piece.
  void (*round)(const float* x, int cols, int row, uint16_t* out);
  // As PackedKernels::multiply, of what `round` wrote; m filled up to whole tiles with anything.
  void (*multiply)(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
                   const PackedOutput& out);
};

// Vectors that fill a tile: fewer are not worth it.
constexpr int kTileVectors = 16;
// Columns of a tile: a matrix must have a multiple of it.
constexpr int kTileColumns = 32;

// Those for every matrix unit, fastest first.
std::span<const Variant<PackedTiles>> packed_tiles_variants();
// The fastest, or nullptr if the build, the CPU or the system has no matrix unit.
const PackedTiles* packed_tiles();

}  // namespace llm_host
