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

typedef int8_t SignedBytes __attribute__((vector_size(16)));

struct ScalesAndBiases {
  Floats scales, biases;
};

// Of the group-th group of the unit whose header this is.
template <Scales S>
inline ScalesAndBiases load_scales(const PackedMatrix& w, const uint8_t* header, int group) {
  if constexpr (S == Scales::kFloat32) {
    return {load<Floats>(header), load<Floats>(header + 64)};
  } else if constexpr (S == Scales::kBfloat16) {
    auto widen = [](const uint8_t* source) {
      return (Floats)(__builtin_convertvector(load<Shorts>(source), Words) << 16);
    };
    return {widen(header), widen(header + 32)};
  } else {
    Floats first = widen_float16(load<Shorts>(header));
    Floats zero = splat(static_cast<float>(-w.zero));
    if constexpr (S == Scales::kSymmetric) return {first, first * zero};
    if constexpr (S == Scales::kSignedBytes) {
      SignedBytes bytes = load<SignedBytes>(header + 32 + 16 * group);
      Floats scales = first * __builtin_convertvector(__builtin_convertvector(bytes, Ints), Floats);
      return {scales, scales * zero};
    }
    Floats second = widen_float16(load<Shorts>(header + 32));
    if constexpr (S == Scales::kFloat16) return {first, second};
    int shift = 4 * group;
    Words upper = load<Words>(header + 192) >> shift;
    Words scale = ((load<Words>(header + 64) >> shift) & 15u) | ((upper & 3u) << 4);
    Words minimum = ((load<Words>(header + 128) >> shift) & 15u) | ((upper & 12u) << 2);
    return {first * __builtin_convertvector((Ints)scale, Floats),
            -(second * __builtin_convertvector((Ints)minimum, Floats))};
  }
}

// The upper bits of the bytes that are multiplied k-th, in place above a nibble.
template <Kind K>
inline Words upper_of(Words bits, int k) {
  constexpr uint32_t kMask = (1u << upper_bits(K)) - 1;
  int shift = 4 - upper_bits(K) * k;
  return (shift >= 0 ? bits << shift : bits >> -shift) & (kMask * 0x10101010u);
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

// Adds the products of eight columns, four in `low` and four in `high`, with M rows of x.
template <int M>
inline void add_word(Words low, Words high, const int8_t* int8, int64_t stride, Ints* coarse,
                     Ints* fine) {
  for (int m = 0; m < M; ++m) {
    const int8_t* at = int8 + 2 * m * stride;
    coarse[m] = dot4(dot4(coarse[m], low, load_word(at)), high, load_word(at + 4));
    at += stride;
    fine[m] = dot4(dot4(fine[m], low, load_word(at)), high, load_word(at + 4));
  }
}

template <Kind K, int M>
inline void add_codes(const uint8_t* codes, int columns, const int8_t* int8, int64_t stride,
                      Ints* coarse, Ints* fine) {
  constexpr uint32_t kNibbles = 0x0f0f0f0fu;
  if constexpr (K == Kind::kAffine8) {
    for (int i = 0; i < columns; i += 8, codes += 128) {
      add_word<M>(load<Words>(codes), load<Words>(codes + 64), int8 + i, stride, coarse, fine);
    }
  } else if constexpr (K == Kind::kAffine4) {
    for (int i = 0; i < columns; i += 8, codes += 64) {
      Words word = load<Words>(codes);
      add_word<M>(word & kNibbles, (word >> 4) & kNibbles, int8 + i, stride, coarse, fine);
    }
  } else {
    constexpr int kLows = low_words(K);
    for (int i = 0; i < columns; i += 8 * kLows, codes += 64 * (kLows + 1)) {
      Words upper = load<Words>(codes + 64 * kLows);
      for (int k = 0; k < kLows; ++k) {
        Words word = load<Words>(codes + 64 * k);
        add_word<M>((word & kNibbles) | upper_of<K>(upper, 2 * k),
                    ((word >> 4) & kNibbles) | upper_of<K>(upper, 2 * k + 1), int8 + i + 8 * k,
                    stride, coarse, fine);
      }
    }
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* header, const uint8_t* codes,
                      const PackedInput& x, int first, int index, Floats* totals) {
  int size = group_size<S>(w), groups = w.groups();
  const int8_t* int8 =
      x.int8 + static_cast<int64_t>(first) * 2 * w.cols + static_cast<int64_t>(index) * size;
  Ints coarse[M] = {}, fine[M] = {};
  add_codes<K, M>(codes, size, int8, w.cols, coarse, fine);
  auto [scale, bias] = load_scales<S>(w, header, in_unit<S>(index));
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
