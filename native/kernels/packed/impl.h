// Products with packed matrices, written once over vectors of 16 lanes, which compilers split where
// the CPU's are shorter. Included by one source per instruction set, each compiled with its own
// flags and giving `add_group` and `add_columns`, its own or those of packed_sums.h; nothing here
// may call an inline function of a library (see simd_impl.h).
#pragma once

#include "kernels/packed/kernels.h"

namespace llm_host {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef uint32_t Words __attribute__((vector_size(64)));
typedef uint16_t Halves __attribute__((vector_size(32)));

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;
constexpr int kRows = PackedMatrix::kBlockRows;
// What is asked for of the stream that follows; the hardware's own guess stops at each page.
constexpr int kAhead = 4096;

// Adds one group's products of 16 rows with M vectors, the first of them `first`.
template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* group, const PackedInput& x, int first,
                      int index, Floats* totals);
// Adds the products of 16 rows of a dense matrix, which begin at `source`.
template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals);

template <typename V>
inline V load(const void* source) {
  V v;
  __builtin_memcpy(&v, source, sizeof v);
  return v;
}
inline Floats splat(float x) { return Floats{} + x; }

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

// Vectors [first, first + M) with one block.
template <Kind K, Scales S, int M>
inline void multiply_block(const PackedMatrix& w, const PackedInput& x, int block, int first,
                           const PackedOutput& out) {
  const uint8_t* source = w.data + block * w.block_bytes();
  Floats totals[M] = {};
  if constexpr (K == Kind::kAffine4 || K == Kind::kAffine8) {
    int64_t step = w.group_bytes();
    int groups = w.groups();
    for (int g = 0; g < groups; ++g, source += step) {
      if constexpr (M == 1) {
        for (int64_t line = 0; line < step; line += 64) {
          __builtin_prefetch(source + kAhead + line);
        }
      }
      add_group<K, S, M>(w, source, x, first, g, totals);
    }
  } else {
    add_columns<K, M>(w, source, x, first, totals);
  }
  store_block<M>(out, block, w.rows, first, totals);
}

// Vectors at a time: as many as keep the sums in registers.
constexpr int kVectors = LLM_HOST_PACKED_VECTORS;

template <Kind K, Scales S>
void multiply_kind(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out) {
  int m = 0;
  for (; m + kVectors <= x.m; m += kVectors) {
    for (int b = begin; b < end; ++b) multiply_block<K, S, kVectors>(w, x, b, m, out);
  }
  for (; m < x.m; ++m) {
    for (int b = begin; b < end; ++b) multiply_block<K, S, 1>(w, x, b, m, out);
  }
}

template <Kind K>
void multiply_scaled(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                     const PackedOutput& out) {
  if (w.scales == Scales::kFloat16) {
    multiply_kind<K, Scales::kFloat16>(w, x, begin, end, out);
  } else if (w.scales == Scales::kBfloat16) {
    multiply_kind<K, Scales::kBfloat16>(w, x, begin, end, out);
  } else {
    multiply_kind<K, Scales::kFloat32>(w, x, begin, end, out);
  }
}

void multiply(const PackedMatrix& w, const PackedInput& x, int begin, int end,
              const PackedOutput& out) {
  switch (w.kind) {
    case Kind::kAffine4:
      return multiply_scaled<Kind::kAffine4>(w, x, begin, end, out);
    case Kind::kAffine8:
      return multiply_scaled<Kind::kAffine8>(w, x, begin, end, out);
    case Kind::kBfloat16:
      return multiply_kind<Kind::kBfloat16, Scales::kFloat32>(w, x, begin, end, out);
    case Kind::kFloat16:
      return multiply_kind<Kind::kFloat16, Scales::kFloat32>(w, x, begin, end, out);
  }
}

typedef int8_t Bytes __attribute__((vector_size(16)));

// 4-bit words hold even columns in their low nibbles and odd ones in the high: the numbers of eight
// columns go the same way.
inline Bytes in_order_of_columns(Kind kind, Bytes v) {
  if (kind != Kind::kAffine4) return v;
  return __builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
}

void quantize(const float* x, const PackedMatrix& w, int8_t* numbers, float* scales, float* sums) {
  // 1.5 · 2^23: adding it leaves the nearest integer in the low bits.
  const Floats round = splat(12582912.0f);
  int size = w.group_size;
  for (int g = 0; g < w.groups(); ++g, x += size, numbers += size) {
    Floats most{}, total{};
    for (int i = 0; i < size; i += 16) {
      Floats v = load<Floats>(x + i), negative = -v;
      Floats magnitude = v > negative ? v : negative;
      most = magnitude > most ? magnitude : most;
      total += v;
    }
    float top = 0, sum = 0;
    for (int i = 0; i < 16; ++i) {
      top = most[i] > top ? most[i] : top;
      sum += total[i];
    }
    scales[g] = top / 127;
    sums[g] = sum;
    float inverse = top > 0 ? 127 / top : 0;
    for (int i = 0; i < size; i += 16) {
      Floats v = load<Floats>(x + i) * inverse;
      Floats shifted = v + round;
      Floats rest = (v - (shifted - round)) * 254.0f + round;
      Bytes first =
          in_order_of_columns(w.kind, __builtin_convertvector((Ints)shifted - (Ints)round, Bytes));
      Bytes second =
          in_order_of_columns(w.kind, __builtin_convertvector((Ints)rest - (Ints)round, Bytes));
      __builtin_memcpy(numbers + i, &first, sizeof first);
      __builtin_memcpy(numbers + w.cols + i, &second, sizeof second);
    }
  }
}

}  // namespace
}  // namespace llm_host
