// The sums of a block, written once over vectors of 16 lanes. Included by the sources that give
// `dot4` and `widen_halves`: see packed_impl.h.
#pragma once

#include "kernels/packed/impl.h"

namespace llm_host {
namespace {

// sums + for each lane the products of its four bytes: unsigned ones of `w` with the signed ones
// of `x`, the same in every lane.
inline Ints dot4(Ints sums, Words w, int32_t x);
// 16 values of IEEE 754 binary16.
inline Floats widen_halves(Halves halves);

inline int32_t load_word(const int8_t* source) {
  int32_t word;
  __builtin_memcpy(&word, source, sizeof word);
  return word;
}

template <Scales S>
inline Floats load_scales(const uint8_t* source) {
  if constexpr (S == Scales::kFloat32) return load<Floats>(source);
  Halves halves = load<Halves>(source);
  if constexpr (S == Scales::kFloat16) return widen_halves(halves);
  return (Floats)(__builtin_convertvector(halves, Words) << 16);
}

// The two columns of a word of a dense matrix.
template <Kind K>
inline void widen_pair(Words w, Floats& first, Floats& second) {
  if constexpr (K == Kind::kBfloat16) {
    first = (Floats)(w << 16);
    second = (Floats)(w & 0xffff0000u);
  } else {
    first = widen_halves(__builtin_convertvector(w & 0xffffu, Halves));
    second = widen_halves(__builtin_convertvector(w >> 16, Halves));
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* group, const PackedInput& x, int first,
                      int index, Floats* totals) {
  constexpr int kScaleBytes = S == Scales::kFloat32 ? 64 : 32;
  int words = w.group_words(), groups = w.groups();
  const uint8_t* source = group + 2 * kScaleBytes;
  const int8_t* numbers =
      x.numbers + static_cast<int64_t>(first) * 2 * w.cols + index * w.group_size;
  Ints sums[M] = {}, rests[M] = {};
  for (int i = 0; i < words; ++i) {
    Words word = load<Words>(source + 64 * i);
    if constexpr (K == Kind::kAffine4) {
      Words low = word & 0x0f0f0f0fu, high = (word >> 4) & 0x0f0f0f0fu;
      for (int m = 0; m < M; ++m) {
        const int8_t* at = numbers + static_cast<int64_t>(2 * m) * w.cols + 8 * i;
        sums[m] = dot4(dot4(sums[m], low, load_word(at)), high, load_word(at + 4));
        at += w.cols;
        rests[m] = dot4(dot4(rests[m], low, load_word(at)), high, load_word(at + 4));
      }
    } else {
      for (int m = 0; m < M; ++m) {
        const int8_t* at = numbers + static_cast<int64_t>(2 * m) * w.cols + 4 * i;
        sums[m] = dot4(sums[m], word, load_word(at));
        rests[m] = dot4(rests[m], word, load_word(at + w.cols));
      }
    }
  }
  Floats scale = load_scales<S>(group), bias = load_scales<S>(group + kScaleBytes);
  for (int m = 0; m < M; ++m) {
    int64_t at = static_cast<int64_t>(first + m) * groups + index;
    Floats product = __builtin_convertvector(rests[m], Floats) * (1.0f / 254) +
                     __builtin_convertvector(sums[m], Floats);
    totals[m] += product * (scale * x.scales[at]);
    totals[m] += bias * x.sums[at];
  }
}

template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals) {
  int words = w.cols / 2;
  const float* values = x.values + static_cast<int64_t>(first) * w.cols;
  Floats others[M] = {};
  for (int i = 0; i < words; ++i) {
    if constexpr (M == 1) __builtin_prefetch(source + kAhead + 64 * i);
    Floats a, b;
    widen_pair<K>(load<Words>(source + 64 * i), a, b);
    for (int m = 0; m < M; ++m) {
      const float* at = values + static_cast<int64_t>(m) * w.cols + 2 * i;
      totals[m] += a * at[0];
      others[m] += b * at[1];
    }
  }
  for (int m = 0; m < M; ++m) totals[m] += others[m];
}

}  // namespace
}  // namespace llm_host
