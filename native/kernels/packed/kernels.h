#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/instruction_sets.h"
#include "kernels/packed/matrix.h"

namespace llm_host {

// m rows of `cols` activations, in the form that the matrix is multiplied with.
struct PackedInput {
  // For dense matrices: float32 [m, cols].
  const float* values = nullptr;
  // For quantized matrices: int8 activations [m, 2, cols], a coarse and a fine row for each row, so
  // that value ≈ (coarse + fine / 254) · scale, each from -127 to 127. The columns of a word are in
  // the order in which the kernels unpack its weights.
  const int8_t* int8 = nullptr;
  const float* scales = nullptr;  // [m, groups]
  const float* sums = nullptr;    // of a group's float32 values, for the biases: [m, groups]
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
  // One row of activations x [cols] -> its int8 [2, cols], scales and sums in PackedInput.
  void (*quantize)(const float* x, const PackedMatrix& w, int8_t* int8, float* scales, float* sums);
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
