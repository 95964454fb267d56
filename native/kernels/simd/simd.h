#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/instruction_sets.h"

namespace llm_host {

// A weight matrix [rows, cols] as MLX stores it: float32 (bits 0), or affine of 4 or 8 bits, where
// w = scale · q + bias for groups of 32, 64 or 128 weights along a row.
struct CpuMatrix {
  const void* weight;
  const float* scales;
  const float* biases;
  int rows;
  int cols;
  int group_size;
  int bits;
};

// Rows of activations for `gemv`.
struct GemvInput {
  const float* values;    // [cols], for dense matrices
  const float* shuffled;  // [m, shuffled_size], each as `shuffle` writes it, for quantized ones
  int m = 1;              // for dense matrices no other
  int ldy = 0;            // floats of y from one row of x to the next
};

// Float32 kernels for one instruction set. Matrices are row-major; ld* are the floats from one row
// to the next.
struct Simd {
  const char* name;
  // Floats of `shuffled` for `cols` values.
  int (*shuffled_size)(int cols, int bits);
  void (*shuffle)(const float* x, int cols, int bits, float* shuffled);
  // y[i · ldy + r] = row r of w · row i of x, for r in [begin, end): the same bits for any m.
  void (*gemv)(const CpuMatrix& w, const GemvInput& x, int begin, int end, float* y);
  // Row `row` of w as float32 [cols].
  void (*unpack)(const CpuMatrix& w, int row, float* out);
  // c[i][j] = a_i · b_j for a [m, k], b [n, k].
  void (*dots)(const float* a, int lda, int m, const float* b, int ldb, int n, int k, float* c,
               int ldc);
  // As `dots` for b in float16, bit by bit as if it were widened first.
  void (*dots_float16)(const float* a, int lda, int m, const uint16_t* b, int ldb, int n, int k,
                       float* c, int ldc);
  // out[i] = Σ_j p[i][j] · v[j] for p [m, n], v [n, d].
  void (*weighted_sum)(const float* p, int ldp, int m, const float* v, int ldv, int n, int d,
                       float* out, int ldo);
  // As `weighted_sum` for v in float16.
  void (*weighted_sum_float16)(const float* p, int ldp, int m, const uint16_t* v, int ldv, int n,
                               int d, float* out, int ldo);
  // s = e^(scale · (s - maximum)); returns the sum.
  float (*exponentials)(float* s, int n, float scale, float maximum);
  // out = silu(gate) · up
  void (*swiglu)(const float* gate, const float* up, int n, float* out);
  // out = gelu(gate) · up, with the tanh approximation of gelu
  void (*geglu)(const float* gate, const float* up, int n, float* out);
  // out = gelu(x) = x · Φ(x), by the normal distribution itself
  void (*gelu)(const float* x, int n, float* out);
  // out = x · weight / √(mean(x²) + eps)
  void (*rms_norm)(const float* x, const float* weight, int n, float eps, float* out);
  // out = (x - mean(x)) · weight / √(variance(x) + eps) + bias
  void (*layer_norm)(const float* x, const float* weight, const float* bias, int n, float eps,
                     float* out);
  float (*maximum)(const float* s, int n);
  // out = a · out + b · x
  void (*blend)(float a, float* out, float b, const float* x, int n);
  // float16 -> float32, and float32 -> the nearest float16, clamped to ±65504.
  void (*widen)(const uint16_t* float16, int n, float* out);
  void (*narrow)(const float* x, int n, uint16_t* float16);
};

// The kernels for every instruction set, fastest first.
std::span<const Variant<Simd>> simd_variants();
// The fastest that this CPU has.
const Simd& simd();

}  // namespace llm_host
