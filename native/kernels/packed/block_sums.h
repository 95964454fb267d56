// add_group and add_columns of impl.h, written once over vectors of 16 lanes. The source that
// includes this defines dot4, widen_float16 and multiply_add. What is rounded is spelled out, since
// a compiler may fuse a product and a sum for one number of rows and not for another.
#pragma once

#include "kernels/packed/impl.h"

namespace llm_host {
namespace {

// Adds to each lane of `sums` the dot product of its four unsigned bytes of `w` with the four
// signed bytes of `x`.
inline Ints dot4(Ints sums, Words w, int32_t x);
// 16 float16 values as float32.
inline Floats widen_float16(Shorts bits);
// a · b + c
inline Floats multiply_add(Floats a, Floats b, Floats c);

inline int32_t load_word(const int8_t* source) {
  int32_t word;
  __builtin_memcpy(&word, source, sizeof word);
  return word;
}

template <Scales S>
inline Floats load_scales(const uint8_t* source) {
  if constexpr (S == Scales::kFloat32) return load<Floats>(source);
  Shorts bits = load<Shorts>(source);
  if constexpr (S == Scales::kFloat16) return widen_float16(bits);
  return (Floats)(__builtin_convertvector(bits, Words) << 16);
}

// The two columns in each word of a dense matrix.
template <Kind K>
inline void widen_pair(Words w, Floats& first, Floats& second) {
  if constexpr (K == Kind::kBfloat16) {
    first = (Floats)(w << 16);
    second = (Floats)(w & 0xffff0000u);
  } else {
    first = widen_float16(__builtin_convertvector(w & 0xffffu, Shorts));
    second = widen_float16(__builtin_convertvector(w >> 16, Shorts));
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* group, const PackedInput& x, int first,
                      int index, Floats* totals) {
  constexpr int kScaleBytes = S == Scales::kFloat32 ? 64 : 32;
  int words = w.group_words(), groups = w.groups();
  const uint8_t* source = group + 2 * kScaleBytes;
  const int8_t* int8 = x.int8 + static_cast<int64_t>(first) * 2 * w.cols + index * w.group_size;
  Ints coarse[M] = {}, fine[M] = {};
  for (int i = 0; i < words; ++i) {
    Words word = load<Words>(source + 64 * i);
    if constexpr (K == Kind::kAffine4) {
      Words low = word & 0x0f0f0f0fu, high = (word >> 4) & 0x0f0f0f0fu;
      for (int m = 0; m < M; ++m) {
        const int8_t* at = int8 + static_cast<int64_t>(2 * m) * w.cols + 8 * i;
        coarse[m] = dot4(dot4(coarse[m], low, load_word(at)), high, load_word(at + 4));
        at += w.cols;
        fine[m] = dot4(dot4(fine[m], low, load_word(at)), high, load_word(at + 4));
      }
    } else {
      for (int m = 0; m < M; ++m) {
        const int8_t* at = int8 + static_cast<int64_t>(2 * m) * w.cols + 4 * i;
        coarse[m] = dot4(coarse[m], word, load_word(at));
        fine[m] = dot4(fine[m], word, load_word(at + w.cols));
      }
    }
  }
  Floats scale = load_scales<S>(group), bias = load_scales<S>(group + kScaleBytes);
  for (int m = 0; m < M; ++m) {
    int64_t at = static_cast<int64_t>(first + m) * groups + index;
    Floats product = multiply_add(__builtin_convertvector(fine[m], Floats), splat(1.0f / 254),
                                  __builtin_convertvector(coarse[m], Floats));
    totals[m] = multiply_add(product, scale * x.scales[at], totals[m]);
    totals[m] = multiply_add(bias, splat(x.sums[at]), totals[m]);
  }
}

template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals) {
  int words = w.cols / 2;
  const float* values = x.values + static_cast<int64_t>(first) * w.cols;
  Floats odd[M] = {};  // `totals` gets the even columns
  for (int i = 0; i < words; ++i) {
    if constexpr (M == 1) __builtin_prefetch(source + kAhead + 64 * i);
    Floats a, b;
    widen_pair<K>(load<Words>(source + 64 * i), a, b);
    for (int m = 0; m < M; ++m) {
      const float* at = values + static_cast<int64_t>(m) * w.cols + 2 * i;
      totals[m] = multiply_add(a, splat(at[0]), totals[m]);
      odd[m] = multiply_add(b, splat(at[1]), odd[m]);
    }
  }
  for (int m = 0; m < M; ++m) totals[m] += odd[m];
}

}  // namespace
}  // namespace llm_host
