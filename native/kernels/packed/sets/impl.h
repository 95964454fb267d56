// Products with packed matrices, written once over vectors of 16 lanes, which the compiler splits
// where the CPU's are shorter. Included by one source per instruction set, which defines
// `add_group` and `add_columns` itself or includes block_sums.h for them. Each is compiled with its
// own options, so nothing here may call an inline function of a library: see simd/impl.h.
#pragma once

#include "kernels/packed/sets/kernels.h"
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));

constexpr int kRows = PackedMatrix::kBlockRows;
// Bytes to prefetch ahead: the hardware prefetcher stops at page boundaries.
constexpr int kAhead = 4096;
// Up to so many rows, reading the weights takes longer than computing with them.
constexpr int kRowsStreamed = 2;

constexpr bool is_quantized(Kind kind) { return kind != Kind::kBfloat16 && kind != Kind::kFloat16; }
// A constant where the scales allow only one size.
template <Scales S>
inline int group_size(const PackedMatrix& w) {
  switch (S) {
    case Scales::kSignedBytes:
    case Scales::kFloat8:
      return 16;
    case Scales::kSymmetric:
    case Scales::kSixBits:
    case Scales::kExponents:
      return 32;
    default:
      return w.group_size;
  }
}
// Where `index` is in its unit.
template <Scales S>
inline int in_unit(int index) {
  return index % PackedMatrix::unit_groups(S);
}

// Adds to `totals` [M] the products of 16 weight rows with rows [first, first + M) of x over the
// columns of the index-th group, whose codes these are; `header`: of its unit.
template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* header, const uint8_t* codes,
                      const PackedInput& x, int first, int index, Floats* totals);
// The same over all columns of a dense block, which begins at `source`.
template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals);

inline Floats splat(float x) { return Floats{} + x; }

// Stores the products of block `block` with rows [first, first + M) of x. `rows`: of the matrix.
template <int M>
inline void store_block(const PackedOutput& out, int block, int rows, int first,
                        const Floats* totals) {
  int row = block * kRows, count = rows - row < kRows ? rows - row : kRows;
  for (int m = 0; m < M; ++m) {
    int64_t at = (first + m) * out.stride + row;
    if (count == kRows) {
      Floats total = totals[m];
      if (out.bias != nullptr) total += load<Floats>(out.bias + row);
      if (out.residual != nullptr) total += load<Floats>(out.residual + at);
      __builtin_memcpy(out.y + at, &total, sizeof total);
      continue;
    }
    for (int i = 0; i < count; ++i) {
      float total = totals[m][i];
      if (out.bias != nullptr) total += out.bias[row + i];
      if (out.residual != nullptr) total += out.residual[at + i];
      out.y[at + i] = total;
    }
  }
}

inline void prefetch(const uint8_t* source, int64_t bytes) {
  for (int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(source + kAhead + line);
}

// Rows [first, first + M) of x by one block.
template <Kind K, Scales S, int M>
inline void multiply_block(const PackedMatrix& w, const PackedInput& x, int block, int first,
                           const PackedOutput& out) {
  const uint8_t* source = w.data + block * w.block_bytes();
  Floats totals[M] = {};
  if constexpr (is_quantized(K)) {
    constexpr int kGroups = PackedMatrix::unit_groups(S), kHeader = PackedMatrix::header_bytes(S);
    int64_t step = w.group_bytes();
    int groups = w.groups();
    for (int g = 0; g < groups;) {
      const uint8_t* header = source;
      if constexpr (M <= kRowsStreamed) prefetch(header, kHeader);
      source += kHeader;
      for (int i = 0; i < kGroups; ++i, ++g, source += step) {
        if constexpr (M <= kRowsStreamed) prefetch(source, step);
        add_group<K, S, M>(w, header, source, x, first, g, totals);
      }
    }
  } else {
    add_columns<K, M>(w, source, x, first, totals);
  }
  store_block<M>(out, block, w.rows, first, totals);
}

// Rows of x at a time: as many as leave the accumulators in registers.
constexpr int kRowsAtOnce = LLM_HOST_PACKED_ROWS;

// Rows from m on: M at a time, and the rest half as many at a time.
template <Kind K, Scales S, int M>
void multiply_rows(const PackedMatrix& w, const PackedInput& x, int begin, int end, int m,
                   const PackedOutput& out) {
  for (; m + M <= x.m; m += M) {
    for (int b = begin; b < end; ++b) multiply_block<K, S, M>(w, x, b, m, out);
  }
  if constexpr (M > 1) {
    if (m < x.m) multiply_rows<K, S, M / 2>(w, x, begin, end, m, out);
  }
}

template <Kind K, Scales S>
void multiply_kind(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out) {
  multiply_rows<K, S, kRowsAtOnce>(w, x, begin, end, 0, out);
}

// The forms that exist: see weights/ggml.cc, and Packed::pack for those with biases.
constexpr bool exists(Kind kind, Scales scales) {
  switch (scales) {
    case Scales::kFloat16:
    case Scales::kBfloat16:
    case Scales::kFloat32:
      return kind != Kind::kFloat4;
    case Scales::kSymmetric:
      return kind == Kind::kAffine4 || kind == Kind::kAffine5 || kind == Kind::kAffine8;
    case Scales::kSixBits:
      return kind == Kind::kAffine4 || kind == Kind::kAffine5;
    case Scales::kSignedBytes:
      return kind == Kind::kAffine6;
    case Scales::kExponents:
    case Scales::kFloat8:
      return kind == Kind::kFloat4;
  }
  return false;
}

template <Kind K, Scales S>
void multiply_form(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out) {
  if constexpr (exists(K, S)) {
    multiply_kind<K, S>(w, x, begin, end, out);
  } else {
    __builtin_trap();
  }
}

template <Kind K>
void multiply_scaled(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                     const PackedOutput& out) {
  switch (w.scales) {
    case Scales::kFloat16:
      return multiply_form<K, Scales::kFloat16>(w, x, begin, end, out);
    case Scales::kBfloat16:
      return multiply_form<K, Scales::kBfloat16>(w, x, begin, end, out);
    case Scales::kFloat32:
      return multiply_form<K, Scales::kFloat32>(w, x, begin, end, out);
    case Scales::kSymmetric:
      return multiply_form<K, Scales::kSymmetric>(w, x, begin, end, out);
    case Scales::kSixBits:
      return multiply_form<K, Scales::kSixBits>(w, x, begin, end, out);
    case Scales::kSignedBytes:
      return multiply_form<K, Scales::kSignedBytes>(w, x, begin, end, out);
    case Scales::kExponents:
      return multiply_form<K, Scales::kExponents>(w, x, begin, end, out);
    case Scales::kFloat8:
      return multiply_form<K, Scales::kFloat8>(w, x, begin, end, out);
  }
}

void multiply(const PackedMatrix& w, const PackedInput& x, int begin, int end,
              const PackedOutput& out) {
  switch (w.kind) {
    case Kind::kAffine2:
      return multiply_scaled<Kind::kAffine2>(w, x, begin, end, out);
    case Kind::kAffine3:
      return multiply_scaled<Kind::kAffine3>(w, x, begin, end, out);
    case Kind::kFloat4:
      return multiply_scaled<Kind::kFloat4>(w, x, begin, end, out);
    case Kind::kAffine4:
      return multiply_scaled<Kind::kAffine4>(w, x, begin, end, out);
    case Kind::kAffine5:
      return multiply_scaled<Kind::kAffine5>(w, x, begin, end, out);
    case Kind::kAffine6:
      return multiply_scaled<Kind::kAffine6>(w, x, begin, end, out);
    case Kind::kAffine8:
      return multiply_scaled<Kind::kAffine8>(w, x, begin, end, out);
    case Kind::kBfloat16:
      return multiply_kind<Kind::kBfloat16, Scales::kFloat32>(w, x, begin, end, out);
    case Kind::kFloat16:
      return multiply_kind<Kind::kFloat16, Scales::kFloat32>(w, x, begin, end, out);
  }
}

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

// The greatest lane of v, none of which is NaN.
inline float greatest(Floats v) {
  auto fold = [&v](Floats other) { v = other > v ? other : v; };
  fold(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  fold(__builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  fold(__builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  fold(__builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return v[0];
}

// Of the magnitudes of `size` values, and their sum.
inline float maximum_and_sum(const float* x, int size, float& sum) {
  Floats maxima{}, total{};
  for (int i = 0; i < size; i += 16) {
    Floats v = load<Floats>(x + i), negative = -v;
    Floats magnitude = v > negative ? v : negative;
    maxima = magnitude > maxima ? magnitude : maxima;
    total += v;
  }
  float lanes = 0;
  for (int i = 0; i < 16; ++i) lanes += total[i];
  sum = lanes;
  return greatest(maxima);
}

inline float sum_of_lanes(Ints v) {
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += v[i];
  return static_cast<float>(sum);
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

// 16 values, each times `inverse` -> their coarse and, if `fine`, their fine bytes; the coarse ones
// are returned. `step`: bytes from word to word, `rows` the panel's.
template <int Phases>
inline Ints quantize_some(const float* x, float inverse, bool fine, int8_t* target, int64_t step,
                          int rows) {
  // 1.5 · 2^23: adding it leaves the nearest integer in the low bits of the mantissa.
  const Floats round = splat(12582912.0f);
  // Nothing is larger, but without the comparison a compiler may fuse the product with the sum.
  const Floats most = splat(127);
  Floats v = load<Floats>(x) * inverse;
  v = v < most ? v : most;
  Floats shifted = v + round;
  Ints coarse = (Ints)shifted - (Ints)round, rest{};
  if (fine) {
    Floats remainder = (v - (shifted - round)) * 254.0f + round;
    rest = (Ints)remainder - (Ints)round;
  }
  store_words(in_order_of_weights<Phases>(__builtin_convertvector(coarse, Bytes)), target, step);
  store_words(in_order_of_weights<Phases>(__builtin_convertvector(rest, Bytes)), target + 4 * rows,
              step);
  return coarse;
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
  int64_t step = 8 * panel.rows;
  int8_t* int8 = out.int8 + int64_t{2} * panel.first * w.cols + 4 * at;
  int64_t scale = static_cast<int64_t>(panel.first) * groups + at;
  for (int first = 0; first < groups; first += kAtOnce) {
    int count = groups - first < kAtOnce ? groups - first : kAtOnce;
    float maxima[kAtOnce], sums[kAtOnce];
    for (int g = 0; g < count; ++g) maxima[g] = maximum_and_sum(x + g * size, size, sums[g]);
    for (int g = 0; g < count; ++g, x += size, scale += panel.rows) {
      float inverse = maxima[g] > 0 ? 127 / maxima[g] : 0;
      bool fine = maxima[g] > least;
      Ints total{};
      for (int i = 0; i < size; i += 16, int8 += 4 * step) {
        total += quantize_some<Phases>(x + i, inverse, fine, int8, step, panel.rows);
      }
      out.scales[scale] = maxima[g] / 127;
      out.sums[scale] = fine ? sums[g] : sum_of_lanes(total) * out.scales[scale];
      out.fine[scale] = fine ? 1 : 0;
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
