#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/instruction_sets.h"

namespace llm_host {

// A weight matrix [rows, cols] as MLX stores it: float32 (bits 0), or affine with 4 or 8 bits,
// where w = scale · q + bias by groups of 32, 64 or 128 along a row.
struct CpuMatrix {
  const void* weight;
  const float* scales;
  const float* biases;
  int rows;
  int cols;
  int group_size;
  int bits;
};

// A vector to multiply matrices with, in the forms their kernels read.
struct CpuVector {
  const float* values;    // [cols]
  const float* shuffled;  // quantized matrices: `shuffle`d
};

// The arithmetic of one instruction set. Row-major; `ld` is the distance between rows in floats.
struct Simd {
  const char* name;
  // Floats that `shuffled` takes for `cols` values.
  int (*shuffled_size)(int cols, int bits);
  void (*shuffle)(const float* x, int cols, int bits, float* shuffled);
  // y[r] = row r · x, for r in [begin, end).
  void (*matvec)(const CpuMatrix& w, const CpuVector& x, int begin, int end, float* y);
  // Row `row` as float32 [cols].
  void (*unpack)(const CpuMatrix& w, int row, float* out);
  // c[i][j] = a_i · b_j for a [m, k], b [n, k].
  void (*dots)(const float* a, int lda, int m, const float* b, int ldb, int n, int k, float* c,
               int ldc);
  // out[i] = Σ_j p[i][j] · v[j] for p [m, n], v [n, d].
  void (*weighted_sum)(const float* p, int ldp, int m, const float* v, int ldv, int n, int d,
                       float* out, int ldo);
  // In place: e^(scale · (s - top)); returns their sum.
  float (*exponentials)(float* s, int n, float scale, float top);
  // out = silu(gate) · up
  void (*swiglu)(const float* gate, const float* up, int n, float* out);
  // out = gelu(gate) · up, by the tanh formula
  void (*geglu)(const float* gate, const float* up, int n, float* out);
  void (*rms_norm)(const float* x, const float* weight, int n, float eps, float* out);
  float (*maximum)(const float* s, int n);
  // float16 -> float32, and to the nearest float16; what is beyond its range becomes its largest.
  void (*widen)(const uint16_t* halves, int n, float* out);
  void (*narrow)(const float* x, int n, uint16_t* halves);
};

// Those for every instruction set, fastest first.
std::span<const Variant<Simd>> simd_variants();
// The fastest that this CPU has.
const Simd& simd();

}  // namespace llm_host
