#pragma once

#include <optional>

#include "kernels/packed/linear.h"

namespace llm_host::cpu {

// Products with activations that are rounded to bfloat16, as the weights are: about twice as fast
// as with float32 ones. On CPUs with a matrix unit packed_linear rounds them anyway.

// Whether `rounded_linear` has a kernel for the matrix, and is the faster one.
bool rounds_activations(const Packed& matrix);

// x [..., cols] · Wᵀ (+ bias [rows]) -> [..., rows], plus `residual` of the same shape. Each row of
// the result has the same bits for any number of them.
mx::array rounded_linear(const mx::array& x, const Packed& matrix,
                         const std::optional<mx::array>& bias,
                         const std::optional<mx::array>& residual);

}  // namespace llm_host::cpu
