#pragma once

#include "kernels/simd.h"

namespace llm_host {

// y [m, rows] = x [m, cols] · Wᵀ, on all threads.
void multiply(const Simd& simd, const CpuMatrix& w, const float* x, int m, float* y);

}  // namespace llm_host
