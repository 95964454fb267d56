// Products of dense float32 matrices, register-tiled. The second one may be float16, which is
// widened as it is read, with the same results. A part of impl.h.
#pragma once

#include "kernels/simd/float16.h"

namespace llm_host {
namespace {

inline Floats lanes_of(const float* source) { return load(source); }
inline Floats lanes_of(const uint16_t* source) {
  __builtin_prefetch(source + kAhead);
  return widened(source);
}
inline float value_of(float x) { return x; }
inline float value_of(uint16_t float16) { return to_float(float16); }

// c [M, N] = a [M, k] · bᵀ, b [N, k].
template <int M, int N, typename T>
inline void dot_tile(const float* a, int lda, const T* b, int ldb, int k, float* c, int ldc) {
  Floats s[M][N] = {};
  int i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    Floats y[N];
    for (int n = 0; n < N; ++n) y[n] = lanes_of(b + static_cast<int64_t>(n) * ldb + i);
    for (int m = 0; m < M; ++m) {
      Floats x = load(a + static_cast<int64_t>(m) * lda + i);
      for (int n = 0; n < N; ++n) s[m][n] = multiply_add(x, y[n], s[m][n]);
    }
  }
  for (int m = 0; m < M; ++m) {
    float sums[N];
    if constexpr (N == 4) {
      sums_of_four(s[m], sums);
    } else {
      for (int n = 0; n < N; ++n) sums[n] = sum(s[m][n]);
    }
    for (int n = 0; n < N; ++n) {
      float total = sums[n];
      for (int t = i; t < k; ++t) {
        total = multiply_add(a[static_cast<int64_t>(m) * lda + t],
                             value_of(b[static_cast<int64_t>(n) * ldb + t]), total);
      }
      c[static_cast<int64_t>(m) * ldc + n] = total;
    }
  }
}

// Rows of a at a time: as many as leave the accumulators in registers.
constexpr int kRows = LLM_HOST_VECTOR_BYTES == 32 ? 2 : 4;

// c [m, N] = a [m, k] · bᵀ, b [N, k].
template <int N, typename T>
inline void dot_columns(const float* a, int lda, int m, const T* b, int ldb, int k, float* c,
                        int ldc) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    dot_tile<kRows, N>(a + static_cast<int64_t>(i) * lda, lda, b, ldb, k,
                       c + static_cast<int64_t>(i) * ldc, ldc);
  }
  a += static_cast<int64_t>(i) * lda;
  c += static_cast<int64_t>(i) * ldc;
  if (m - i == 3) {
    dot_tile<3, N>(a, lda, b, ldb, k, c, ldc);
  } else if (m - i == 2) {
    dot_tile<2, N>(a, lda, b, ldb, k, c, ldc);
  } else if (m - i == 1) {
    dot_tile<1, N>(a, lda, b, ldb, k, c, ldc);
  }
}

template <typename T>
void dots(const float* a, int lda, int m, const T* b, int ldb, int n, int k, float* c, int ldc) {
  int j = 0;
  for (; j + 4 <= n; j += 4)
    dot_columns<4>(a, lda, m, b + static_cast<int64_t>(j) * ldb, ldb, k, c + j, ldc);
  for (; j < n; ++j)
    dot_columns<1>(a, lda, m, b + static_cast<int64_t>(j) * ldb, ldb, k, c + j, ldc);
}

// out [M, N · kLanes] = p [M, n] · v [n, N · kLanes].
template <int M, int N, typename T>
inline void sum_tile(const float* p, int ldp, const T* v, int ldv, int n, float* out, int ldo) {
  Floats s[M][N] = {};
  for (int j = 0; j < n; ++j) {
    Floats y[N];
    for (int c = 0; c < N; ++c) y[c] = lanes_of(v + static_cast<int64_t>(j) * ldv + c * kLanes);
    for (int m = 0; m < M; ++m) {
      Floats x = splat(p[static_cast<int64_t>(m) * ldp + j]);
      for (int c = 0; c < N; ++c) s[m][c] = multiply_add(x, y[c], s[m][c]);
    }
  }
  for (int m = 0; m < M; ++m) {
    for (int c = 0; c < N; ++c) store(out + static_cast<int64_t>(m) * ldo + c * kLanes, s[m][c]);
  }
}

// out [M, d] = p [M, n] · v [n, d].
template <int M, typename T>
inline void sum_rows(const float* p, int ldp, const T* v, int ldv, int n, int d, float* out,
                     int ldo) {
  int col = 0;
  for (; col + 4 * kLanes <= d; col += 4 * kLanes)
    sum_tile<M, 4>(p, ldp, v + col, ldv, n, out + col, ldo);
  for (; col + kLanes <= d; col += kLanes) sum_tile<M, 1>(p, ldp, v + col, ldv, n, out + col, ldo);
  for (; col < d; ++col) {
    for (int m = 0; m < M; ++m) {
      float total = 0;
      for (int j = 0; j < n; ++j) {
        total = multiply_add(p[static_cast<int64_t>(m) * ldp + j],
                             value_of(v[static_cast<int64_t>(j) * ldv + col]), total);
      }
      out[static_cast<int64_t>(m) * ldo + col] = total;
    }
  }
}

template <typename T>
void weighted_sum(const float* p, int ldp, int m, const T* v, int ldv, int n, int d, float* out,
                  int ldo) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    sum_rows<kRows>(p + static_cast<int64_t>(i) * ldp, ldp, v, ldv, n, d,
                    out + static_cast<int64_t>(i) * ldo, ldo);
  }
  p += static_cast<int64_t>(i) * ldp;
  out += static_cast<int64_t>(i) * ldo;
  if (m - i == 3) {
    sum_rows<3>(p, ldp, v, ldv, n, d, out, ldo);
  } else if (m - i == 2) {
    sum_rows<2>(p, ldp, v, ldv, n, d, out, ldo);
  } else if (m - i == 1) {
    sum_rows<1>(p, ldp, v, ldv, n, d, out, ldo);
  }
}

}  // namespace
}  // namespace llm_host
