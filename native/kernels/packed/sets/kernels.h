#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/instruction_sets.h"
#include "kernels/packed/form/matrix.h"

namespace llm_host {

// m rows of `cols` int8 activations, for a quantized matrix: value ≈ coarse · scale, or (coarse +
// fine / 254) · scale in groups that have fine bytes, each from -127 to 127. The rows are in
// panels, so that a kernel reads what it multiplies with one after the other: panels of as many
// rows as a kernel takes at once, then one of half as many and so on. A panel of R rows from row
// `first` on begins at int8 + 2 · first · cols, and holds R words of coarse bytes for every four
// columns, then, behind all of them, R words of fine bytes for every four columns; those of groups
// without are undefined. The columns of a word are in the order in which the kernels unpack its
// weights.
struct PackedInt8 {
  int8_t* int8 = nullptr;   // [m · 2 · cols]
  float* scales = nullptr;  // [m · groups]; a panel's, from first · groups on, as [groups][R]
  // Sums of a group's values, for a matrix with biases: like scales. Without fine bytes they are
  // sums of the rounded values: with sums of the values themselves, the rounding error would be
  // multiplied with scale · code instead of the weight, which is half as large.
  float* sums = nullptr;
  // For a symmetric matrix -zero · the sum of a group's coarse bytes: like scales; and, [m ·
  // groups] behind, of its fine bytes.
  int32_t* offsets = nullptr;  // [2 · m · groups]
  uint8_t* fine = nullptr;     // whether a group has fine bytes, 1 or 0: like scales
  int m = 1;
  // Groups have fine bytes whose greatest magnitude is more than so many times the root mean square
  // of the row. 0: all.
  float fine_above = 0;
};

// The usual fine_above: rounding changes no value by more than 2.4 % of its row's root mean
// square. Few groups are above it, and without their fine bytes perplexity rises by a quarter of a
// percent instead of less than a tenth: see docs/engine.md.
constexpr float kFineAbove = 6;
// That, or 0 if LLM_HOST_INT8=fine asks for fine bytes everywhere.
float usual_fine_above();

// m rows of activations, in the form that the matrix is multiplied with.
struct PackedInput {
  const float* values = nullptr;  // for dense matrices: float32 [m, cols]
  PackedInt8 int8;                // for quantized ones
  int m = 1;
};

// Where results go: y[i · stride + row] = product (+ bias[row]) (+ residual[i · stride + row]).
struct PackedOutput {
  float* y = nullptr;
  int64_t stride = 0;
  const float* bias = nullptr;
  const float* residual = nullptr;
};

// Products with packed matrices, for one instruction set.
struct PackedKernels {
  const char* name;
  // Row `row` of activations, x [cols] -> its place in `rows`. Rows may be written at the same
  // time.
  void (*quantize)(const float* x, const PackedMatrix& w, int row, const PackedInt8& rows);
  // The products of blocks [begin, end) of w with every row of x.
  void (*multiply)(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out);
};

// The kernels for every instruction set, fastest first.
std::span<const Variant<PackedKernels>> packed_variants();
// The fastest that this CPU has.
const PackedKernels& packed_kernels();
// Whether those are the portable ones, which are no faster than exact arithmetic.
bool packed_kernels_portable();

}  // namespace llm_host
