// Activations as int8 panels, see PackedInt8, written once over vectors of 16 lanes. Included by
// one source per instruction set, after impl.h.
#pragma once

#include "kernels/packed/sets/impl.h"

namespace llm_host {
namespace {

typedef int8_t Bytes __attribute__((vector_size(16)));

// Each byte of a word of low bits holds columns that follow each other, and the bytes are
// multiplied with the first of them, then with the next. Activations are permuted to match.
template <int Phases>
inline Bytes in_order_of_weights(Bytes v) {
  if constexpr (Phases == 2) {
    return __builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  } else if constexpr (Phases == 4) {
    return __builtin_shufflevector(v, v, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  } else {
    return v;
  }
}

// The panel with row `row` of m: see PackedInt8.
struct Panel {
  int first, rows;
};
inline Panel panel_of(int row, int m) {
  int rows = kRowsAtOnce, first = row / rows * rows;
  while (first + rows > m) {
    rows /= 2;
    if (row >= first + rows && first + rows <= m) first += rows;
  }
  return {first, rows};
}

// Copies 16 columns to the words of one row: see PackedInt8. `step`: bytes from word to word.
inline void store_words(Bytes bytes, int8_t* target, int64_t step) {
  for (int i = 0; i < 16; i += 4, target += step) {
    __builtin_memcpy(target, reinterpret_cast<const int8_t*>(&bytes) + i, 4);
  }
}

// Narrows numbers that fit a byte. Compilers narrow such a vector lane by lane.
inline Bytes narrowed(Ints v) {
#if defined(__AVX512F__)
  return (Bytes)_mm512_cvtepi32_epi8((__m512i)v);
#elif defined(__AVX2__)
  __m256i halves[2];
  __builtin_memcpy(halves, &v, sizeof v);
  __m256i shorts = _mm256_permute4x64_epi64(_mm256_packs_epi32(halves[0], halves[1]), 0xd8);
  return (Bytes)_mm_packs_epi16(_mm256_castsi256_si128(shorts),
                                _mm256_extracti128_si256(shorts, 1));
#else
  return __builtin_convertvector(v, Bytes);
#endif
}

// The greatest lane of v, none of which is NaN.
inline float greatest(Floats v) {
  auto fold = [&v](Floats other) { v = other > v ? other : v; };
  fold(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  fold(__builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  fold(__builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  fold(__builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return v[0];
}

// The largest magnitude of `size` values.
inline float maximum(const float* x, int size) {
  Floats maxima{};
  for (int i = 0; i < size; i += 16) {
    Floats v = load<Floats>(x + i), negative = -v;
    Floats magnitude = v > negative ? v : negative;
    maxima = magnitude > maxima ? magnitude : maxima;
  }
  return greatest(maxima);
}

inline float sum_of(const float* x, int size) {
  Floats total{};
  for (int i = 0; i < size; i += 16) total += load<Floats>(x + i);
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += total[i];
  return sum;
}

inline int sum_of_lanes(Ints v) {
  auto fold = [&v](Ints other) { v += other; };
  fold(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  fold(__builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  fold(__builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  fold(__builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return v[0];
}

inline float root_mean_square(const float* x, int count) {
  Floats squares{};
  for (int i = 0; i < count; i += 16) {
    Floats v = load<Floats>(x + i);
    squares += v * v;
  }
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += squares[i];
  return __builtin_sqrtf(sum / static_cast<float>(count));
}

// 16 values, each times `inverse`: their coarse bytes, and the rest in 254ths.
struct Rounded {
  Ints coarse, fine;
};
inline Rounded rounded(const float* x, float inverse) {
  // 1.5 · 2^23: adding it leaves the nearest integer in the low bits of the mantissa.
  const Floats round = splat(12582912.0f);
  // Nothing is larger, but without the comparison a compiler may fuse the product with the sum.
  const Floats most = splat(127);
  Floats v = load<Floats>(x) * inverse;
  v = v < most ? v : most;
  Floats shifted = v + round;
  Floats remainder = (v - (shifted - round)) * 254.0f + round;
  return {(Ints)shifted - (Ints)round, (Ints)remainder - (Ints)round};
}

// Where a row's bytes of some columns are in its panel.
struct RowTarget {
  int8_t* coarse;
  int64_t fine;  // bytes behind
  int64_t step;  // from word to word

  template <int Phases>
  void store(Ints bytes, int64_t behind) const {
    store_words(in_order_of_weights<Phases>(narrowed(bytes)), coarse + behind, step);
  }
};

// The sums of a group's bytes.
struct GroupSums {
  int coarse, fine;
};

// `size` values of a group, each times `inverse`, to their places.
template <int Phases>
inline GroupSums quantize_group(const float* x, int size, float inverse, bool fine,
                                RowTarget target) {
  Ints coarse_sum{}, fine_sum{};
  for (int i = 0; i < size; i += 16, target.coarse += 4 * target.step) {
    Rounded values = rounded(x + i, inverse);
    target.store<Phases>(values.coarse, 0);
    coarse_sum += values.coarse;
    if (!fine) continue;
    target.store<Phases>(values.fine, target.fine);
    fine_sum += values.fine;
  }
  return {sum_of_lanes(coarse_sum), fine ? sum_of_lanes(fine_sum) : 0};
}

// See PackedInt8, where scale = max |x| / 127 of the group.
template <int Phases>
void quantize_for(const float* x, const PackedMatrix& w, int row, const PackedInt8& out) {
  // Groups whose maxima are found before the first of them is rounded: rounding waits for its own.
  constexpr int kAtOnce = 8;
  int size = w.group_size, groups = w.groups();
  float least = out.fine_above == 0 ? 0 : out.fine_above * root_mean_square(x, w.cols);
  Panel panel = panel_of(row, out.m);
  int at = row - panel.first;
  RowTarget target{out.int8 + int64_t{2} * panel.first * w.cols + 4 * at,
                   int64_t{panel.rows} * w.cols, int64_t{4} * panel.rows};
  int64_t place = static_cast<int64_t>(panel.first) * groups + at;
  int64_t fine_offsets = static_cast<int64_t>(out.m) * groups;
  for (int first = 0; first < groups; first += kAtOnce) {
    int count = groups - first < kAtOnce ? groups - first : kAtOnce;
    float maxima[kAtOnce];
    for (int g = 0; g < count; ++g) maxima[g] = maximum(x + g * size, size);
    for (int g = 0; g < count; ++g, x += size, place += panel.rows) {
      float inverse = maxima[g] > 0 ? 127 / maxima[g] : 0, scale = maxima[g] / 127;
      bool fine = maxima[g] > least;
      GroupSums bytes = quantize_group<Phases>(x, size, inverse, fine, target);
      target.coarse += panel.rows * int64_t{size};
      out.scales[place] = scale;
      out.sums[place] = fine ? sum_of(x, size) : static_cast<float>(bytes.coarse) * scale;
      out.offsets[place] = -w.zero * bytes.coarse;
      out.offsets[place + fine_offsets] = -w.zero * bytes.fine;
      out.fine[place] = fine ? 1 : 0;
    }
  }
}

// A loop for each order: with the choice inside, 8 bits took twice as long.
void quantize(const float* x, const PackedMatrix& w, int row, const PackedInt8& rows) {
  switch (PackedMatrix::phases(w.kind)) {
    case 2:
      return quantize_for<2>(x, w, row, rows);
    case 4:
      return quantize_for<4>(x, w, row, rows);
    default:
      return quantize_for<1>(x, w, row, rows);
  }
}

}  // namespace
}  // namespace llm_host
