#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/instruction_sets.h"
#include "kernels/packed/matrix.h"

namespace llm_host {

// m vectors of `cols` values in the form that a packed matrix multiplies.
struct PackedInput {
  // Dense matrices: [m, cols].
  const float* values = nullptr;
  // Quantized ones: whole numbers of -127 to 127 in the order in which the words give up their
  // weights, [m, 2, cols]: value = (first + second / 254) · scale.
  const int8_t* numbers = nullptr;
  const float* scales = nullptr;  // [m, groups]
  const float* sums = nullptr;    // of a group's values before rounding, [m, groups]
  int m = 1;
};

// Where products go: y[i · stride + row] = product (+ bias[row]) (+ residual[i · stride + row]).
struct PackedOutput {
  float* y = nullptr;
  int64_t stride = 0;
  const float* bias = nullptr;
  const float* residual = nullptr;
};

// The arithmetic of one instruction set on packed matrices.
struct PackedKernels {
  const char* name;
  // x [cols] -> numbers [2, cols], scales and sums of one row of PackedInput.
  void (*quantize)(const float* x, const PackedMatrix& w, int8_t* numbers, float* scales,
                   float* sums);
  // The products of blocks [begin, end) with every vector.
  void (*multiply)(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out);
};

// Those for every instruction set, fastest first.
std::span<const Variant<PackedKernels>> packed_variants();
// The fastest that this CPU has.
const PackedKernels& packed_kernels();
// Whether those are the portable ones, which are no faster than exact arithmetic.
bool packed_kernels_portable();

}  // namespace llm_host
