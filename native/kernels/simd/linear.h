#pragma once

#include "kernels/simd/simd.h"

namespace llm_host {

// A low-rank update (LoRA) of a matrix: down [rank, cols], up [rank, rows]; rank 0 is none.
struct CpuLowRank {
  const float* down = nullptr;
  const float* up = nullptr;
  int rank = 0;
};

// y [m, rows] = x [m, cols] · Wᵀ (+ x · downᵀ · up), on all threads. `reproducible`: each row of y
// has the same bits for any m.
void multiply(const Simd& simd, const CpuMatrix& w, const CpuLowRank& low_rank, const float* x,
              int m, bool reproducible, float* y);

}  // namespace llm_host
