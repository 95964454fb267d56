// The kernels, written once over vectors of LLM_HOST_VECTOR_BYTES. Included by one source per instruction
// set, each compiled with its own flags: nothing here may call an inline function of a library, or the
// linker could hand the version for a newer CPU to everyone.
#include "kernels/simd.h"

namespace llm_host {
namespace {

constexpr int kLanes = LLM_HOST_VECTOR_BYTES / 4;
typedef float Floats __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef int32_t Ints __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef uint32_t Words __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef float Floats2 __attribute__((vector_size(8)));
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef int32_t Ints8 __attribute__((vector_size(32)));
typedef uint32_t Words8 __attribute__((vector_size(32)));

template <typename V>
inline V load(const void* source) {
  V v;
  __builtin_memcpy(&v, source, sizeof v);
  return v;
}
inline Floats load(const float* source) { return load<Floats>(static_cast<const void*>(source)); }
template <typename V>
inline void store(float* target, V v) {
  __builtin_memcpy(target, &v, sizeof v);
}
inline Floats splat(float x) { return Floats{} + x; }
inline Floats to_floats(Words v) { return __builtin_convertvector((Ints)v, Floats); }

inline float sum4(Floats4 v) {
  Floats4 t = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
  return t[0] + t[1];
}
inline float sum8(Floats8 v) {
  return sum4(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

// `spread<L>`: the scale of the group that each lane is in, for groups of L lanes.
#if LLM_HOST_VECTOR_BYTES == 64
inline float sum(Floats v) {
  return sum8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}
template <int L>
inline Floats spread(const float* s) {
  if constexpr (L == 4) {
    Floats4 v = load<Floats4>(s);
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  } else if constexpr (L == 8) {
    Floats2 v = load<Floats2>(s);
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  } else {
    return splat(*s);
  }
}
#elif LLM_HOST_VECTOR_BYTES == 32
inline float sum(Floats v) { return sum8(v); }
template <int L>
inline Floats spread(const float* s) {
  if constexpr (L == 4) {
    Floats2 v = load<Floats2>(s);
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1);
  } else {
    return splat(*s);
  }
}
#else
inline float sum(Floats v) { return sum4(v); }
template <int L>
inline Floats spread(const float* s) {
  return splat(*s);
}
#endif

float dot(const float* a, const float* b, int n) {
  Floats s0{}, s1{}, s2{}, s3{};
  int i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    s0 += load(a + i) * load(b + i);
    s1 += load(a + i + kLanes) * load(b + i + kLanes);
    s2 += load(a + i + 2 * kLanes) * load(b + i + 2 * kLanes);
    s3 += load(a + i + 3 * kLanes) * load(b + i + 3 * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) s0 += load(a + i) * load(b + i);
  float result = sum((s0 + s1) + (s2 + s3));
  for (; i < n; ++i) result += a[i] * b[i];
  return result;
}

// Quantised matrices. A word holds 8 or 4 weights of a row, a vector of words a block of them. Weight i of
// every word comes out at once, so the values of x are kept in that order: block, i, word.
constexpr int block_size(int bits) { return 32 / bits * kLanes; }

int shuffled_size(int cols, int bits) {
  int block = block_size(bits);
  return (cols + block - 1) / block * block;
}

void shuffle(const float* x, int cols, int bits, float* out) {
  int weights = 32 / bits;
  for (int block = 0; block < cols; block += block_size(bits), out += block_size(bits)) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < weights; ++i) {
        int col = block + weights * lane + i;
        out[i * kLanes + lane] = col < cols ? x[col] : 0;
      }
    }
  }
}

template <int Bits>
inline Floats low_bits(Words w) {
#if LLM_HOST_VECTOR_BYTES == 64 && __has_builtin(__builtin_shuffle)
  if constexpr (Bits == 4) {
    // A lookup by the low 4 bits: one instruction for mask and conversion.
    const Floats table = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return __builtin_shuffle(table, (Ints)w);
  }
#endif
  return to_floats(w & ((1u << Bits) - 1));
}

// The products of a block, summed by lane.
template <int Bits>
inline Floats block_products(Words w, const float* x) {
  Floats s0{}, s1{};
  for (int i = 0; i < 32 / Bits; i += 2) {
    s0 += low_bits<Bits>(w >> (Bits * i)) * load(x + i * kLanes);
    s1 += low_bits<Bits>(w >> (Bits * (i + 1))) * load(x + (i + 1) * kLanes);
  }
  return s0 + s1;
}

template <int Bits, int G>
float dot_quantised(const uint32_t* words, const float* scales, const float* x, int cols,
                    int64_t words_to_end) {
  constexpr int kBlock = block_size(Bits), kWeights = 32 / Bits, kGroupLanes = G / kWeights;
  Floats total{};
  int col = 0;
  for (; col + kBlock <= cols; col += kBlock) {
    Words block = load<Words>(words + col / kWeights);
    total += block_products<Bits>(block, x + col) * spread<kGroupLanes>(scales + col / G);
  }
  if (col < cols && col / kWeights + kLanes <= words_to_end) {
    // Reads into the next rows; there the zeros at the end of x make nothing of it.
    Words block = load<Words>(words + col / kWeights);
    total += block_products<Bits>(block, x + col) * spread<kGroupLanes>(scales + col / G);
  } else if (col < cols) {
    uint32_t word_copy[kLanes] = {};
    float scale_copy[kLanes] = {};
    __builtin_memcpy(word_copy, words + col / kWeights, static_cast<size_t>(cols - col) * Bits / 8);
    for (int i = 0; col + i * G < cols; ++i) scale_copy[i] = scales[col / G + i];
    total += block_products<Bits>(load<Words>(word_copy), x + col) * spread<kGroupLanes>(scale_copy);
  }
  return sum(total);
}

template <int Bits, int G>
void matvec_quantised(const CpuMatrix& w, const CpuVector& x, int begin, int end, float* y) {
  int64_t groups = w.cols / G, words = static_cast<int64_t>(w.cols) * Bits / 32;
  for (int64_t row = begin; row < end; ++row) {
    const uint32_t* weight = static_cast<const uint32_t*>(w.weight) + row * words;
    float product = dot_quantised<Bits, G>(weight, w.scales + row * groups, x.shuffled, w.cols,
                                           (w.rows - row) * words);
    y[row] = product + dot(w.biases + row * groups, x.group_sums, static_cast<int>(groups));
  }
}

template <int Bits>
void matvec_quantised(const CpuMatrix& w, const CpuVector& x, int begin, int end, float* y) {
  if (w.group_size == 32) {
    matvec_quantised<Bits, 32>(w, x, begin, end, y);
  } else if (w.group_size == 64) {
    matvec_quantised<Bits, 64>(w, x, begin, end, y);
  } else {
    matvec_quantised<Bits, 128>(w, x, begin, end, y);
  }
}

void matvec(const CpuMatrix& w, const CpuVector& x, int begin, int end, float* y) {
  if (w.bits == 0) {
    for (int64_t row = begin; row < end; ++row) {
      y[row] = dot(static_cast<const float*>(w.weight) + row * w.cols, x.values, w.cols);
    }
  } else if (w.bits == 4) {
    matvec_quantised<4>(w, x, begin, end, y);
  } else {
    matvec_quantised<8>(w, x, begin, end, y);
  }
}

void unpack(const CpuMatrix& w, int row, float* out) {
  if (w.bits == 0) {
    const float* source = static_cast<const float*>(w.weight) + static_cast<int64_t>(row) * w.cols;
    __builtin_memcpy(out, source, static_cast<size_t>(w.cols) * 4);
    return;
  }
  int64_t groups = w.cols / w.group_size;
  const Words8 shifts = w.bits == 4 ? Words8{0, 4, 8, 12, 16, 20, 24, 28} : Words8{0, 8, 16, 24, 0, 8, 16, 24};
  const uint32_t* words = static_cast<const uint32_t*>(w.weight) + row * (static_cast<int64_t>(w.cols) * w.bits / 32);
  for (int col = 0; col < w.cols; col += 8) {
    int64_t group = row * groups + col / w.group_size;
    Words8 packed;
    if (w.bits == 4) {
      packed = Words8{} + words[col / 8];
    } else {
      uint32_t a = words[col / 4], b = words[col / 4 + 1];
      packed = Words8{a, a, a, a, b, b, b, b};
    }
    Words8 q = (packed >> shifts) & (w.bits == 4 ? 15u : 255u);
    Floats8 values = __builtin_convertvector((Ints8)q, Floats8) * w.scales[group] + w.biases[group];
    store(out + col, values);
  }
}

template <int M, int N>
inline void dot_tile(const float* a, int lda, const float* b, int ldb, int k, float* c, int ldc) {
  Floats s[M][N] = {};
  int i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    Floats y[N];
    for (int n = 0; n < N; ++n) y[n] = load(b + static_cast<int64_t>(n) * ldb + i);
    for (int m = 0; m < M; ++m) {
      Floats x = load(a + static_cast<int64_t>(m) * lda + i);
      for (int n = 0; n < N; ++n) s[m][n] += x * y[n];
    }
  }
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float total = sum(s[m][n]);
      for (int t = i; t < k; ++t) {
        total += a[static_cast<int64_t>(m) * lda + t] * b[static_cast<int64_t>(n) * ldb + t];
      }
      c[static_cast<int64_t>(m) * ldc + n] = total;
    }
  }
}

// Rows of a that are multiplied at once: as many as keep the sums in registers.
constexpr int kRows = LLM_HOST_VECTOR_BYTES == 32 ? 2 : 4;

template <int N>
inline void dot_columns(const float* a, int lda, int m, const float* b, int ldb, int k, float* c, int ldc) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    dot_tile<kRows, N>(a + static_cast<int64_t>(i) * lda, lda, b, ldb, k, c + static_cast<int64_t>(i) * ldc, ldc);
  }
  for (; i < m; ++i) {
    dot_tile<1, N>(a + static_cast<int64_t>(i) * lda, lda, b, ldb, k, c + static_cast<int64_t>(i) * ldc, ldc);
  }
}

void dots(const float* a, int lda, int m, const float* b, int ldb, int n, int k, float* c, int ldc) {
  int j = 0;
  for (; j + 4 <= n; j += 4) dot_columns<4>(a, lda, m, b + static_cast<int64_t>(j) * ldb, ldb, k, c + j, ldc);
  for (; j < n; ++j) dot_columns<1>(a, lda, m, b + static_cast<int64_t>(j) * ldb, ldb, k, c + j, ldc);
}

// M rows of p over N vectors of v's columns.
template <int M, int N>
inline void sum_tile(const float* p, int ldp, const float* v, int ldv, int n, float* out, int ldo) {
  Floats s[M][N] = {};
  for (int j = 0; j < n; ++j) {
    Floats y[N];
    for (int c = 0; c < N; ++c) y[c] = load(v + static_cast<int64_t>(j) * ldv + c * kLanes);
    for (int m = 0; m < M; ++m) {
      float x = p[static_cast<int64_t>(m) * ldp + j];
      for (int c = 0; c < N; ++c) s[m][c] += x * y[c];
    }
  }
  for (int m = 0; m < M; ++m) {
    for (int c = 0; c < N; ++c) store(out + static_cast<int64_t>(m) * ldo + c * kLanes, s[m][c]);
  }
}

template <int M>
inline void sum_rows(const float* p, int ldp, const float* v, int ldv, int n, int d, float* out, int ldo) {
  int col = 0;
  for (; col + 4 * kLanes <= d; col += 4 * kLanes) sum_tile<M, 4>(p, ldp, v + col, ldv, n, out + col, ldo);
  for (; col + kLanes <= d; col += kLanes) sum_tile<M, 1>(p, ldp, v + col, ldv, n, out + col, ldo);
  for (; col < d; ++col) {
    for (int m = 0; m < M; ++m) {
      float total = 0;
      for (int j = 0; j < n; ++j) {
        total += p[static_cast<int64_t>(m) * ldp + j] * v[static_cast<int64_t>(j) * ldv + col];
      }
      out[static_cast<int64_t>(m) * ldo + col] = total;
    }
  }
}

void weighted_sum(const float* p, int ldp, int m, const float* v, int ldv, int n, int d, float* out, int ldo) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    sum_rows<kRows>(p + static_cast<int64_t>(i) * ldp, ldp, v, ldv, n, d, out + static_cast<int64_t>(i) * ldo, ldo);
  }
  for (; i < m; ++i) {
    sum_rows<1>(p + static_cast<int64_t>(i) * ldp, ldp, v, ldv, n, d, out + static_cast<int64_t>(i) * ldo, ldo);
  }
}

// e^x by 2^n · e^r with |r| <= ln 2 / 2; relative error below 2e-7 where the result is a normal float.
inline Floats exponential(Floats x) {
  const Floats low = splat(-87.0f), high = splat(88.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const float round = 12582912.0f;  // 1.5 · 2^23: adding it leaves the nearest integer in the low bits
  Floats shifted = x * 1.44269504f + round;
  Ints n = (Ints)shifted - (Ints)splat(round);
  Floats whole = shifted - round;
  Floats r = x - whole * 0.693359375f - whole * -2.12194440e-4f;
  Floats y = splat(1.9875691500e-4f);
  y = y * r + 1.3981999507e-3f;
  y = y * r + 8.3334519073e-3f;
  y = y * r + 4.1665795894e-2f;
  y = y * r + 1.6666665459e-1f;
  y = y * r + 5.0000001201e-1f;
  y = y * r * r + r + 1.0f;
  return y * (Floats)((n + 127) << 23);
}

void softmax(float* s, int n, float scale) {
  float top = s[0];
  for (int i = 1; i < n; ++i) top = s[i] > top ? s[i] : top;
  Floats totals{};
  float total = 0;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats e = exponential((load(s + i) - top) * scale);
    store(s + i, e);
    totals += e;
  }
  for (; i < n; ++i) total += s[i] = __builtin_expf((s[i] - top) * scale);
  float inverse = 1 / (total + sum(totals));
  for (i = 0; i < n; ++i) s[i] *= inverse;
}

void swiglu(const float* gate, const float* up, int n, float* out) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats g = load(gate + i);
    store(out + i, g / (exponential(-g) + 1.0f) * load(up + i));
  }
  for (; i < n; ++i) out[i] = gate[i] / (1 + __builtin_expf(-gate[i])) * up[i];
}

void rms_norm(const float* x, const float* weight, int n, float eps, float* out) {
  float scale = 1 / __builtin_sqrtf(dot(x, x, n) / static_cast<float>(n) + eps);
  for (int i = 0; i < n; ++i) out[i] = x[i] * scale * weight[i];
}

constexpr Simd kernels_of(const char* name) {
  return {name, shuffled_size, shuffle, matvec, unpack, dots, weighted_sum, softmax, swiglu, rms_norm};
}

}  // namespace
}  // namespace llm_host
