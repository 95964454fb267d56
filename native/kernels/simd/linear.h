#pragma once

#include "kernels/simd/simd.h"

namespace llm_host {

// A low-rank addition to a matrix: down [rank, cols], up [rank, rows]. No addition: rank 0.
struct CpuLowRank {
  const float* down = nullptr;
  const float* up = nullptr;
  int rank = 0;
};

// y [m, rows] = x [m, cols] · Wᵀ (+ x · downᵀ · up), on all threads.
void multiply(const Simd& simd, const CpuMatrix& w, const CpuLowRank& low_rank, const float* x,
              int m, float* y);

}  // namespace llm_host
