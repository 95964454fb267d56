// add_group and add_columns of impl.h, written once over vectors of kLanes rows. What is rounded is
// spelled out, since a compiler may fuse a product and a sum for one number of rows and not for
// another. The source that includes this defines before it, besides what scales.h asks for:
//   LLM_HOST_PACKED_PARTS    parts of the 16 rows that are accumulated at a time
//   Dots add_dots<Kind>(Dots, PartWords codes, int32_t x)
//                            adds to each lane the dot product of four bytes with four of x
//   PartInts add_sums<Kind>(PartInts, Dots)
//   kSignedDots              whether codes are signed there: 128 is subtracted from those of 8 bits
//   constexpr int dots_at_once(Kind)
//                            codes of four columns that Dots can take before they are added to the
//                            sums; 0: any number
//   PartWords look_up(PartWords nibbles)
//                            kFloat4's as kFloat4Codes
//   constexpr int words_at_once(Kind, int words)
//                            of x, of so many, whose sums fit the registers
//   void widen_float16(PartWords, PartFloats& low, PartFloats& high)
//                            of both halves of each word
//   PartFloats multiply_add(PartFloats a, PartFloats b, PartFloats c)
//                            a · b + c
#pragma once

#include "kernels/packed/sets/impl.h"

namespace llm_host {
namespace {

// Otherwise compilers keep sums of eight rows in memory.
#define ALWAYS_INLINE inline __attribute__((always_inline))

constexpr int kParts = kRows / kLanes, kPartsAtOnce = LLM_HOST_PACKED_PARTS;

inline int32_t load_word(const int8_t* source) {
  int32_t word;
  __builtin_memcpy(&word, source, sizeof word);
  return word;
}

inline PartFloats part_of(const Floats& all, int part) {
  return load<PartFloats>(reinterpret_cast<const float*>(&all) + kLanes * part);
}
inline void set_part(Floats& all, int part, PartFloats values) {
  __builtin_memcpy(reinterpret_cast<float*>(&all) + kLanes * part, &values, sizeof values);
}

// Four columns of each row as bytes, the k-th four of a chunk: words of low bits, the one that has
// them, and `upper`, the word of upper bits after them.
template <Kind K>
inline PartWords codes_of(PartWords word, PartWords upper, int k) {
  constexpr int kLow = PackedMatrix::low_bits(K), kUpper = PackedMatrix::upper_bits(K);
  if constexpr (K == Kind::kAffine8) return kSignedDots ? word ^ 0x80808080u : word;
  constexpr uint32_t kMask = ((1u << kLow % 32) - 1) * 0x01010101u;
  PartWords codes = (word >> (kLow * (k % PackedMatrix::phases(K)))) & kMask;
  if constexpr (K == Kind::kFloat4) return look_up(codes);
  if constexpr (kUpper != 0) {
    constexpr uint32_t kUpperMask = (((1u << kUpper) - 1) << kLow) * 0x01010101u;
    int shift = kLow - kUpper * k;
    codes |= (shift >= 0 ? upper << shift : upper >> -shift) & kUpperMask;
  }
  return codes;
}

// Sums for some words, each of a row of x and a part of it, and kPartsAtOnce parts of the weights'
// rows.
template <typename V>
using Sums = V (*)[kPartsAtOnce];

// Adds the products of the v-th four columns after `codes` with N of x's words, of which a panel
// has `All` for every four columns.
template <Kind K, int N, int All, typename V>
ALWAYS_INLINE void add_four(const uint8_t* codes, int v, const int8_t* x, Sums<V> sums) {
  constexpr int kLows = PackedMatrix::low_words(K), kPhases = PackedMatrix::phases(K);
  constexpr int kChunk = kLows * kPhases;
  constexpr bool kUpper = PackedMatrix::upper_bits(K) != 0;
  const uint8_t* chunk = codes + v / kChunk * (64 * (kLows + (kUpper ? 1 : 0)));
  PartWords bytes[kPartsAtOnce];
  for (int p = 0; p < kPartsAtOnce; ++p) {
    PartWords upper{};
    if constexpr (kUpper) upper = load<PartWords>(chunk + 64 * kLows + 4 * kLanes * p);
    const uint8_t* word = chunk + 64 * (v % kChunk / kPhases) + 4 * kLanes * p;
    bytes[p] = codes_of<K>(load<PartWords>(word), upper, v % kChunk);
  }
  for (int n = 0; n < N; ++n) {
    int32_t four = load_word(x + 4 * All * v + 4 * n);
    for (int p = 0; p < kPartsAtOnce; ++p) sums[n][p] = add_dots<K>(sums[n][p], bytes[p], four);
  }
}

// The same for as many columns as Dots can take.
template <Kind K, int N, int All>
ALWAYS_INLINE void add_some(const uint8_t* codes, int first, const int8_t* x, Sums<PartInts> sums) {
  Dots dots[N][kPartsAtOnce] = {};
  for (int v = 0; v < dots_at_once(K); ++v) add_four<K, N, All, Dots>(codes, first + v, x, dots);
  for (int n = 0; n < N; ++n) {
    for (int p = 0; p < kPartsAtOnce; ++p) sums[n][p] = add_sums<K>(sums[n][p], dots[n][p]);
  }
}

// The sums over the columns of a group, for N of a panel's words; `codes`: of the first part.
template <Kind K, int N, int All>
ALWAYS_INLINE void add_codes(const uint8_t* codes, int columns, const int8_t* x,
                             Sums<PartInts> sums) {
  constexpr int kChunk = PackedMatrix::low_words(K) * PackedMatrix::phases(K);
  constexpr int kAtOnce = dots_at_once(K), kSpan = kAtOnce > kChunk ? kAtOnce : kChunk;
  constexpr int kSpanBytes =
      kSpan * 4 * 16 * (PackedMatrix::low_bits(K) + PackedMatrix::upper_bits(K)) / 8;
  for (int c = 0; c < columns; c += 4 * kSpan, codes += kSpanBytes, x += 4 * All * kSpan) {
    if constexpr (kAtOnce == 0) {
#pragma GCC unroll 8
      for (int v = 0; v < kSpan; ++v) add_four<K, N, All, PartInts>(codes, v, x, sums);
    } else {
#pragma GCC unroll 8
      for (int v = 0; v < kSpan; v += kAtOnce) add_some<K, N, All>(codes, v, x, sums);
    }
  }
}

// Of `columns` columns of one word of the All in a panel.
template <int All>
inline int sum_of(const int8_t* words, int columns) {
  int sum = 0;
  for (int c = 0; c < columns; c += 4, words += 4 * All) {
    for (int i = 0; i < 4; ++i) sum += words[i];
  }
  return sum;
}

// The same for the first N of them, and what subtracting 128 from each code has taken away.
template <Kind K, int N, int All>
ALWAYS_INLINE void add_words(const uint8_t* codes, int columns, const int8_t* x,
                             Sums<PartInts> sums) {
  constexpr int kOnce = words_at_once(K, N);
  for (int n = 0; n < N; n += kOnce) add_codes<K, kOnce, All>(codes, columns, x + 4 * n, sums + n);
  if constexpr (K != Kind::kAffine8 || !kSignedDots) return;
  for (int n = 0; n < N; ++n) {
    int offset = 128 * sum_of<All>(x + 4 * n, columns);
    for (int p = 0; p < kPartsAtOnce; ++p) sums[n][p] += offset;
  }
}

// add_group with the fine bytes, or without: where a row has none they are 0 and change nothing.
template <Kind K, Scales S, int M, bool Fine>
inline void add_group_of(const PackedMatrix& w, const uint8_t* header, const uint8_t* codes,
                         const PackedInput& x, int first, int index, Floats* totals) {
  constexpr int kWords = Fine ? 2 * M : M;
  int size = group_size<S>(w), groups = w.groups();
  const PackedInt8& rows = x.int8;
  const int8_t* int8 = rows.int8 + 2 * (int64_t{first} * w.cols + int64_t{M} * index * size);
  const int64_t scale_at = int64_t{first} * groups + int64_t{M} * index;
  for (int begin = 0; begin < kParts; begin += kPartsAtOnce) {
    PartInts sums[kWords][kPartsAtOnce] = {};
    add_words<K, kWords, 2 * M>(codes + 4 * kLanes * begin, size, int8, sums);
    for (int p = 0; p < kPartsAtOnce; ++p) {
      auto [scale, bias] = load_scales<S>(w, header, in_unit<S>(index), begin + p);
      for (int m = 0; m < M; ++m) {
        PartFloats product = __builtin_convertvector(sums[m][p], PartFloats);
        if constexpr (Fine) {
          PartFloats fine = __builtin_convertvector(sums[M + m][p], PartFloats);
          product = multiply_add(fine, part_splat(1.0f / 254), product);
        }
        PartFloats total = part_of(totals[m], begin + p);
        total = multiply_add(product, scale * rows.scales[scale_at + m], total);
        set_part(totals[m], begin + p,
                 multiply_add(bias, part_splat(rows.sums[scale_at + m]), total));
      }
    }
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* header, const uint8_t* codes,
                      const PackedInput& x, int first, int index, Floats* totals) {
  const uint8_t* fine = x.int8.fine + int64_t{first} * w.groups() + int64_t{M} * index;
  bool any = false;
  for (int m = 0; m < M; ++m) any = any || fine[m] != 0;
  if (any) return add_group_of<K, S, M, true>(w, header, codes, x, first, index, totals);
  add_group_of<K, S, M, false>(w, header, codes, x, first, index, totals);
}

// The two columns in each word of a dense matrix.
template <Kind K>
inline void widen_pair(PartWords w, PartFloats& first, PartFloats& second) {
  if constexpr (K == Kind::kBfloat16) {
    first = (PartFloats)(w << 16);
    second = (PartFloats)(w & 0xffff0000u);
  } else {
    widen_float16(w, first, second);
  }
}

template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals) {
  const float* values = x.values + static_cast<int64_t>(first) * w.cols;
  for (int begin = 0; begin < kParts; begin += kPartsAtOnce) {
    PartFloats even[M][kPartsAtOnce] = {}, odd[M][kPartsAtOnce] = {};
    const uint8_t* words = source + 4 * kLanes * begin;
    for (int i = 0; i < w.cols; i += 2, words += 64) {
      if constexpr (M == 1) __builtin_prefetch(words + kAhead);
      for (int p = 0; p < kPartsAtOnce; ++p) {
        PartFloats a, b;
        widen_pair<K>(load<PartWords>(words + 4 * kLanes * p), a, b);
        for (int m = 0; m < M; ++m) {
          const float* at = values + static_cast<int64_t>(m) * w.cols + i;
          even[m][p] = multiply_add(a, part_splat(at[0]), even[m][p]);
          odd[m][p] = multiply_add(b, part_splat(at[1]), odd[m][p]);
        }
      }
    }
    for (int m = 0; m < M; ++m) {
      for (int p = 0; p < kPartsAtOnce; ++p) {
        PartFloats sum = even[m][p] + odd[m][p];
        set_part(totals[m], begin + p, part_of(totals[m], begin + p) + sum);
      }
    }
  }
}

}  // namespace
}  // namespace llm_host
