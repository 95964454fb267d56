// Products of a weight matrix, dense or quantized, with rows of activations, each with the same
// bits as alone. A part of impl.h.
#pragma once

#include "kernels/simd/vectors.h"

namespace llm_host {
namespace {

// Rows of activations at a time: as many as leave the accumulators in registers.
constexpr int kGemmRows = LLM_HOST_VECTOR_BYTES == 64 ? 4 : 2;

float dot(const float* a, const float* b, int n) {
  Floats s[4] = {};
  int i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int k = 0; k < 4; ++k) {
      s[k] = multiply_add(load(a + i + k * kLanes), load(b + i + k * kLanes), s[k]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) s[0] = multiply_add(load(a + i), load(b + i), s[0]);
  float result = sum((s[0] + s[1]) + (s[2] + s[3]));
  for (; i < n; ++i) result = multiply_add(a[i], b[i], result);
  return result;
}

// Quantized matrices. A word holds 8 or 4 weights of a row; a vector of words is a block. Weight i
// of every word is unpacked at once, so x is shuffled to [block][i][word]. Behind it are the sums
// of each word's values, [block][word], which are multiplied with the biases.
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
    // A table lookup by the low 4 bits masks and converts in one instruction.
    const Floats table = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return __builtin_shuffle(table, (Ints)w);
  }
#endif
  return to_floats(w & ((1u << Bits) - 1));
}

// Prefetches what is `distance` words further on, which may be beyond the end of the matrix.
inline void prefetch(const void* base, int64_t distance) {
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<intptr_t>(base) + 4 * distance));
}

template <int Bits, int G>
struct Rows {
  static constexpr int kWeights = 32 / Bits, kBlock = block_size(Bits);
  // Rows to prefetch ahead: the hardware prefetcher stops at page boundaries.
  static constexpr int kAhead = 8;

  const uint32_t* words;
  const float* scales;
  const float* biases;
  int64_t row_words, row_groups;

  // Adds the products of block `block` of R rows with M rows of x to `totals` [R][M]. `x` and
  // `sums` are of that block of the first row of x; the next is `stride` floats on.
  template <int R, int M, bool Prefetch>
  inline void add_block(int block, const float* x, const float* sums, int64_t stride,
                        Floats (*totals)[M]) const {
    Words w[R];
    Floats products[R][M] = {};
    for (int r = 0; r < R; ++r) {
      w[r] = load<Words>(words + r * row_words + block * kLanes);
      if constexpr (Prefetch) prefetch(words + r * row_words + block * kLanes, kAhead * row_words);
#if LLM_HOST_VECTOR_BYTES == 64
      // Keep it in a register: rows are not aligned, so reloading would touch two cache lines.
      asm("" : "+v"(w[r]));
#endif
    }
    for (int i = 0; i < kWeights; ++i) {
      Floats values[M];
      for (int m = 0; m < M; ++m) values[m] = load(x + m * stride + i * kLanes);
      for (int r = 0; r < R; ++r) {
        Floats weight = low_bits<Bits>(w[r] >> (Bits * i));
        for (int m = 0; m < M; ++m)
          products[r][m] = multiply_add(weight, values[m], products[r][m]);
      }
    }
    for (int r = 0; r < R; ++r) {
      int64_t group = r * row_groups + block * kBlock / G;
      Floats scale = spread<G / kWeights>(scales + group);
      Floats bias = spread<G / kWeights>(biases + group);
      for (int m = 0; m < M; ++m) {
        totals[r][m] = multiply_add(products[r][m], scale, totals[r][m]);
        totals[r][m] = multiply_add(load(sums + m * stride), bias, totals[r][m]);
      }
    }
  }
};

// y[m * ldy + r] = the products of R rows with M rows of x. `words_left`: from the first row to the
// end of the matrix.
template <int R, int M, int Bits, int G>
void dot_rows(Rows<Bits, G> rows, const float* x, int64_t stride, int cols, int64_t words_left,
              float* y, int ldy) {
  constexpr int kBlock = block_size(Bits), kWeights = 32 / Bits;
  Floats totals[R][M] = {};
  int blocks = cols / kBlock;
  const float* sums = x + block_count(cols, Bits) * kBlock;
  for (int b = 0; b < blocks; ++b) {
    rows.template add_block<R, M, true>(b, x + b * kBlock, sums + b * kLanes, stride, totals);
  }
  const float *last_x = x + blocks * kBlock, *last_sums = sums + blocks * kLanes;
  bool inside = (R - 1) * rows.row_words + (blocks + 1) * kLanes <= words_left;
  if (blocks * kBlock < cols && inside) {
    // Reads on into the next rows, whose weights meet the zeros at the end of the shuffled x.
    rows.template add_block<R, M, false>(blocks, last_x, last_sums, stride, totals);
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
    copy.template add_block<R, M, false>(0, last_x, last_sums, stride, totals);
  }
  for (int r = 0; r < R; ++r) {
    prefetch(rows.scales + r * rows.row_groups, rows.kAhead * rows.row_groups);
    prefetch(rows.biases + r * rows.row_groups, rows.kAhead * rows.row_groups);
    for (int m = 0; m < M; ++m) y[static_cast<int64_t>(m) * ldy + r] = sum(totals[r][m]);
  }
}

// R rows of w with all rows of x.
template <int R, int Bits, int G>
void multiply_rows(Rows<Bits, G> rows, const GemvInput& x, int cols, int64_t words_left, float* y) {
  int64_t stride = shuffled_size(cols, Bits);
  int m = 0;
  for (; m + kGemmRows <= x.m; m += kGemmRows) {
    dot_rows<R, kGemmRows>(rows, x.shuffled + m * stride, stride, cols, words_left,
                           y + static_cast<int64_t>(m) * x.ldy, x.ldy);
  }
  for (; m < x.m; ++m) {
    dot_rows<R, 1>(rows, x.shuffled + m * stride, stride, cols, words_left,
                   y + static_cast<int64_t>(m) * x.ldy, x.ldy);
  }
}

template <int Bits, int G>
void gemv_quantized(const CpuMatrix& w, const GemvInput& x, int begin, int end, float* y) {
  Rows<Bits, G> rows{nullptr, nullptr, nullptr, static_cast<int64_t>(w.cols) * Bits / 32,
                     w.cols / G};
  for (int64_t row = begin; row < end;) {
    rows.words = static_cast<const uint32_t*>(w.weight) + row * rows.row_words;
    rows.scales = w.scales + row * rows.row_groups;
    rows.biases = w.biases + row * rows.row_groups;
    int64_t left = (w.rows - row) * rows.row_words;
    if (row + 4 <= end) {
      multiply_rows<4>(rows, x, w.cols, left, y + row);
      row += 4;
    } else {
      multiply_rows<1>(rows, x, w.cols, left, y + row);
      row += 1;
    }
  }
}

template <int Bits>
void gemv_quantized(const CpuMatrix& w, const GemvInput& x, int begin, int end, float* y) {
  if (w.group_size == 32) {
    gemv_quantized<Bits, 32>(w, x, begin, end, y);
  } else if (w.group_size == 64) {
    gemv_quantized<Bits, 64>(w, x, begin, end, y);
  } else {
    gemv_quantized<Bits, 128>(w, x, begin, end, y);
  }
}

void gemv(const CpuMatrix& w, const GemvInput& x, int begin, int end, float* y) {
  if (w.bits == 0) {
    for (int64_t row = begin; row < end; ++row) {
      y[row] = dot(static_cast<const float*>(w.weight) + row * w.cols, x.values, w.cols);
    }
  } else if (w.bits == 4) {
    gemv_quantized<4>(w, x, begin, end, y);
  } else {
    gemv_quantized<8>(w, x, begin, end, y);
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

}  // namespace
}  // namespace llm_host
