// The kernels, written once over vectors of LLM_HOST_VECTOR_BYTES. Included by one source per
// instruction set, each compiled with its own flags: nothing here may call an inline function of a
// library, or the linker could hand the version for a newer CPU to everyone.
#include "kernels/simd.h"

#if LLM_HOST_VECTOR_BYTES > 16
#include <immintrin.h>
#endif

namespace llm_host {
namespace {

constexpr int kLanes = LLM_HOST_VECTOR_BYTES / 4;
typedef float Floats __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef int32_t Ints __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef uint32_t Words __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
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
  return sum4(__builtin_shufflevector(v, v, 0, 1, 2, 3) +
              __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

// `spread<L>`: the scale of the group that each lane is in, for groups of L lanes.
#if LLM_HOST_VECTOR_BYTES == 64
inline float sum(Floats v) {
  return sum8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}
template <int L>
inline Floats spread(const float* s) {
  // Intrinsics: GCC would widen a short vector through memory, at the cost of a stalled load.
  if constexpr (L == 4) {
    const Ints lanes = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    return (Floats)_mm512_permutexvar_ps((__m512i)lanes, _mm512_castps128_ps512(_mm_loadu_ps(s)));
  } else if constexpr (L == 8) {
    const Ints lanes = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(s)));
    return (Floats)_mm512_permutexvar_ps((__m512i)lanes, _mm512_castps128_ps512(two));
  } else {
    return splat(*s);
  }
}
#elif LLM_HOST_VECTOR_BYTES == 32
inline float sum(Floats v) { return sum8(v); }
template <int L>
inline Floats spread(const float* s) {
  if constexpr (L == 4) {
    const Ints lanes = {0, 0, 0, 0, 1, 1, 1, 1};
    __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(s)));
    return (Floats)_mm256_permutevar8x32_ps(_mm256_castps128_ps256(two), (__m256i)lanes);
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

// Quantised matrices. A word holds 8 or 4 weights of a row, a vector of words a block of them.
// Weight i of every word comes out at once, so the values of x are kept in that order: block, i,
// word; and then, for the biases, their sums: block, word.
constexpr int block_size(int bits) { return 32 / bits * kLanes; }
constexpr int block_count(int cols, int bits) {
  return (cols + block_size(bits) - 1) / block_size(bits);
}

int shuffled_size(int cols, int bits) {
  return block_count(cols, bits) * (block_size(bits) + kLanes);
}

void shuffle(const float* x, int cols, int bits, float* out) {
  int weights = 32 / bits, blocks = block_count(cols, bits);
  float* sums = out + blocks * block_size(bits);
  for (int word = 0; word < blocks * kLanes; ++word) {
    float* target = out + word / kLanes * block_size(bits) + word % kLanes;
    sums[word] = 0;
    for (int i = 0; i < weights; ++i) {
      int col = word * weights + i;
      float value = col < cols ? x[col] : 0;
      target[i * kLanes] = value;
      sums[word] += value;
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

// Asks for what is `distance` words further on, which may be beyond the end.
inline void prefetch(const void* base, int64_t distance) {
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<intptr_t>(base) + 4 * distance));
}

template <int Bits, int G>
struct Rows {
  static constexpr int kWeights = 32 / Bits, kBlock = block_size(Bits);
  // Rows that are asked for ahead of time; the hardware's own guess stops at each page.
  static constexpr int kAhead = 8;

  const uint32_t* words;
  const float* scales;
  const float* biases;
  int64_t row_words, row_groups;

  // Adds to `totals` what block `block` of R rows gives.
  template <int R, bool Prefetch>
  inline void add_block(int block, const float* x, Floats sums, Floats* totals) const {
    Words w[R];
    Floats products[R] = {};
    for (int r = 0; r < R; ++r) {
      w[r] = load<Words>(words + r * row_words + block * kLanes);
      if constexpr (Prefetch) prefetch(words + r * row_words + block * kLanes, kAhead * row_words);
#if LLM_HOST_VECTOR_BYTES == 64
      // Keep it in a register: rows are not aligned, and each load would cost two.
      asm("" : "+v"(w[r]));
#endif
    }
    for (int i = 0; i < kWeights; ++i) {
      Floats value = load(x + i * kLanes);
      for (int r = 0; r < R; ++r) products[r] += low_bits<Bits>(w[r] >> (Bits * i)) * value;
    }
    for (int r = 0; r < R; ++r) {
      int64_t group = r * row_groups + block * kBlock / G;
      totals[r] += products[r] * spread<G / kWeights>(scales + group);
      totals[r] += sums * spread<G / kWeights>(biases + group);
    }
  }
};

// y[0..R) = the products of R rows with x. `words_left`: from the first row to the end of the
// matrix.
template <int R, int Bits, int G>
void dot_rows(Rows<Bits, G> rows, const float* x, int cols, int64_t words_left, float* y) {
  constexpr int kBlock = block_size(Bits), kWeights = 32 / Bits;
  Floats totals[R] = {};
  int blocks = cols / kBlock;
  const float* sums = x + block_count(cols, Bits) * kBlock;
  for (int b = 0; b < blocks; ++b) {
    rows.template add_block<R, true>(b, x + b * kBlock, load(sums + b * kLanes), totals);
  }
  const float *last_x = x + blocks * kBlock, *last_sums = sums + blocks * kLanes;
  bool inside = (R - 1) * rows.row_words + (blocks + 1) * kLanes <= words_left;
  if (blocks * kBlock < cols && inside) {
    // Reads into the next rows; there the zeros at the end of x make nothing of it.
    rows.template add_block<R, false>(blocks, last_x, load(last_sums), totals);
  } else if (blocks * kBlock < cols) {
    int left = cols - blocks * kBlock;
    uint32_t words[R * kLanes] = {};
    float scales[R * kLanes] = {}, biases[R * kLanes] = {};
    for (int r = 0; r < R; ++r) {
      for (int i = 0; i < left / kWeights; ++i) {
        words[r * kLanes + i] = rows.words[r * rows.row_words + blocks * kLanes + i];
      }
      for (int i = 0; i * G < left; ++i) {
        scales[r * kLanes + i] = rows.scales[r * rows.row_groups + blocks * kBlock / G + i];
        biases[r * kLanes + i] = rows.biases[r * rows.row_groups + blocks * kBlock / G + i];
      }
    }
    Rows<Bits, G> copy{words, scales, biases, kLanes, kLanes};
    copy.template add_block<R, false>(0, last_x, load(last_sums), totals);
  }
  for (int r = 0; r < R; ++r) {
    prefetch(rows.scales + r * rows.row_groups, rows.kAhead * rows.row_groups);
    prefetch(rows.biases + r * rows.row_groups, rows.kAhead * rows.row_groups);
    y[r] = sum(totals[r]);
  }
}

template <int Bits, int G>
void matvec_quantised(const CpuMatrix& w, const CpuVector& x, int begin, int end, float* y) {
  Rows<Bits, G> rows{nullptr, nullptr, nullptr, static_cast<int64_t>(w.cols) * Bits / 32,
                     w.cols / G};
  for (int64_t row = begin; row < end;) {
    rows.words = static_cast<const uint32_t*>(w.weight) + row * rows.row_words;
    rows.scales = w.scales + row * rows.row_groups;
    rows.biases = w.biases + row * rows.row_groups;
    int64_t left = (w.rows - row) * rows.row_words;
    if (row + 4 <= end) {
      dot_rows<4>(rows, x.shuffled, w.cols, left, y + row);
      row += 4;
    } else {
      dot_rows<1>(rows, x.shuffled, w.cols, left, y + row);
      row += 1;
    }
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
  const Words8 shifts =
      w.bits == 4 ? Words8{0, 4, 8, 12, 16, 20, 24, 28} : Words8{0, 8, 16, 24, 0, 8, 16, 24};
  const uint32_t* words =
      static_cast<const uint32_t*>(w.weight) + row * (static_cast<int64_t>(w.cols) * w.bits / 32);
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
inline void dot_columns(const float* a, int lda, int m, const float* b, int ldb, int k, float* c,
                        int ldc) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    dot_tile<kRows, N>(a + static_cast<int64_t>(i) * lda, lda, b, ldb, k,
                       c + static_cast<int64_t>(i) * ldc, ldc);
  }
  for (; i < m; ++i) {
    dot_tile<1, N>(a + static_cast<int64_t>(i) * lda, lda, b, ldb, k,
                   c + static_cast<int64_t>(i) * ldc, ldc);
  }
}

void dots(const float* a, int lda, int m, const float* b, int ldb, int n, int k, float* c,
          int ldc) {
  int j = 0;
  for (; j + 4 <= n; j += 4)
    dot_columns<4>(a, lda, m, b + static_cast<int64_t>(j) * ldb, ldb, k, c + j, ldc);
  for (; j < n; ++j)
    dot_columns<1>(a, lda, m, b + static_cast<int64_t>(j) * ldb, ldb, k, c + j, ldc);
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
inline void sum_rows(const float* p, int ldp, const float* v, int ldv, int n, int d, float* out,
                     int ldo) {
  int col = 0;
  for (; col + 4 * kLanes <= d; col += 4 * kLanes)
    sum_tile<M, 4>(p, ldp, v + col, ldv, n, out + col, ldo);
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

void weighted_sum(const float* p, int ldp, int m, const float* v, int ldv, int n, int d, float* out,
                  int ldo) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    sum_rows<kRows>(p + static_cast<int64_t>(i) * ldp, ldp, v, ldv, n, d,
                    out + static_cast<int64_t>(i) * ldo, ldo);
  }
  for (; i < m; ++i) {
    sum_rows<1>(p + static_cast<int64_t>(i) * ldp, ldp, v, ldv, n, d,
                out + static_cast<int64_t>(i) * ldo, ldo);
  }
}

// e^x by 2^n · e^r with |r| <= ln 2 / 2; relative error below 2e-7 where the result is a normal
// float.
inline Floats exponential(Floats x) {
  const Floats low = splat(-87.0f), high = splat(88.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const float round =
      12582912.0f;  // 1.5 · 2^23: adding it leaves the nearest integer in the low bits
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
  return {name, shuffled_size, shuffle, matvec, unpack,
          dots, weighted_sum,  softmax, swiglu, rms_norm};
}

}  // namespace
}  // namespace llm_host
