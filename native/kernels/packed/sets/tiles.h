#pragma once

#include "kernels/packed/sets/kernels.h"

namespace llm_host {

// Products of many rows of activations by a matrix unit that multiplies bfloat16 tiles and
// accumulates in float32. Weights are dequantized to bfloat16 block by block.
struct PackedTiles {
  const char* name;
  // Rounds row `row` of the activations, x [cols], to bfloat16 and stores it in `out`, which has
  // tiles of 16 rows and 32 columns, each contiguous: [m / 16][cols / 32][16][32].
  void (*round)(const float* x, int cols, int row, uint16_t* out);
  // As PackedKernels::multiply, where x is what `round` wrote. m is padded to whole tiles; the
  // padding may hold anything.
  void (*multiply)(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
                   const PackedOutput& out);
};

// Rows of a tile: fewer activations are faster without tiles.
constexpr int kTileRows = 16;
// Columns of a tile: a matrix must have a multiple of this.
constexpr int kTileColumns = 32;

// The kernels for every matrix unit, fastest first.
std::span<const Variant<PackedTiles>> packed_tiles_variants();
// The fastest, or nullptr if the build, the CPU or the system has no matrix unit.
const PackedTiles* packed_tiles();

}  // namespace llm_host
