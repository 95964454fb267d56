// add_group and add_columns of impl.h, written once over vectors of kLanes rows. What is rounded is
// spelled out, since a compiler may fuse a product and a sum for one number of rows and not for
// another. The source that includes this defines before it, besides what scales.h asks for:
//   LLM_HOST_PACKED_ROWS     rows of x in a panel, a power of two
//   LLM_HOST_PACKED_BLOCKS   blocks of weights that meet them at a time
//   LLM_HOST_PACKED_PARTS    parts of the 16 rows of a block that are accumulated at a time
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

constexpr int kPartsAtOnce = LLM_HOST_PACKED_PARTS;

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

// A group's bytes of a panel of M rows of x: the coarse ones, or the fine ones. See PackedInt8.
template <int M>
struct PanelGroup {
  const int8_t* words;
  const float* scales;     // [M]
  const float* sums;       // [M], or nullptr with fine bytes: the coarse ones' are of both
  const int32_t* offsets;  // [M]
  float step;              // of the bytes, as a part of the scale

  static constexpr int kWordStep = 4 * M;  // bytes from four columns to the next four
};

// All rows of a panel, or those of a list.
struct InOrder {
  int first;
  int operator[](int n) const { return first + n; }
  InOrder from(int n) const { return {first + n}; }
};
struct Chosen {
  const int* rows;
  int operator[](int n) const { return rows[n]; }
  Chosen from(int n) const { return {rows + n}; }
};

// Some rows of the weights: kPartsAtOnce parts of each of B blocks that follow each other.
template <int B>
struct PartsOf {
  static constexpr int kCount = B * kPartsAtOnce;

  const uint8_t* codes;  // of a group in the first part
  int64_t block_bytes;

  // The bytes of part p.
  const uint8_t* of(int p) const {
    return codes + p / kPartsAtOnce * block_bytes + 4 * kLanes * (p % kPartsAtOnce);
  }
};

// Sums for N rows of x and P parts.
template <typename V, int N, int P>
using Sums = V (&)[N][P];

// Adds the products of the v-th four columns after `parts` with N rows' words after `x`, of which
// four columns have Step bytes.
template <Kind K, int N, int Step, int B, typename V, typename Rows>
ALWAYS_INLINE void add_four(PartsOf<B> parts, int v, const int8_t* x, Rows rows,
                            Sums<V, N, PartsOf<B>::kCount> sums) {
  constexpr int kLows = PackedMatrix::low_words(K), kPhases = PackedMatrix::phases(K);
  constexpr int kChunk = kLows * kPhases, kCount = PartsOf<B>::kCount;
  constexpr bool kUpper = PackedMatrix::upper_bits(K) != 0;
  PartWords bytes[kCount];
  for (int p = 0; p < kCount; ++p) {
    const uint8_t* chunk = parts.of(p) + v / kChunk * (64 * (kLows + (kUpper ? 1 : 0)));
    PartWords upper{};
    if constexpr (kUpper) upper = load<PartWords>(chunk + 64 * kLows);
    PartWords word = load<PartWords>(chunk + 64 * (v % kChunk / kPhases));
    bytes[p] = codes_of<K>(word, upper, v % kChunk);
  }
  for (int n = 0; n < N; ++n) {
    int32_t four = load_word(x + Step * v + 4 * rows[n]);
    for (int p = 0; p < kCount; ++p) sums[n][p] = add_dots<K>(sums[n][p], bytes[p], four);
  }
}

// Handles as many columns as Dots can take.
template <Kind K, int N, int Step, int B, typename Rows>
ALWAYS_INLINE void add_some(PartsOf<B> parts, int first, const int8_t* x, Rows rows,
                            Sums<PartInts, N, PartsOf<B>::kCount> sums) {
  constexpr int kCount = PartsOf<B>::kCount;
  Dots dots[N][kCount] = {};
  for (int v = 0; v < dots_at_once(K); ++v) {
    add_four<K, N, Step, B, Dots>(parts, first + v, x, rows, dots);
  }
  for (int n = 0; n < N; ++n) {
    for (int p = 0; p < kCount; ++p) sums[n][p] = add_sums<K>(sums[n][p], dots[n][p]);
  }
}

// Handles a group's columns.
template <Kind K, int N, int Step, int B, typename Rows>
ALWAYS_INLINE void add_codes(PartsOf<B> parts, int columns, const int8_t* x, Rows rows,
                             Sums<PartInts, N, PartsOf<B>::kCount> sums) {
  constexpr int kChunk = PackedMatrix::low_words(K) * PackedMatrix::phases(K);
  constexpr int kAtOnce = dots_at_once(K), kSpan = kAtOnce > kChunk ? kAtOnce : kChunk;
  constexpr int kSpanBytes =
      kSpan * 4 * 16 * (PackedMatrix::low_bits(K) + PackedMatrix::upper_bits(K)) / 8;
  // Unrolled, a compiler unpacks codes so early that it has no registers left for the sums.
#pragma GCC unroll 1
  for (int c = 0; c < columns; c += 4 * kSpan, parts.codes += kSpanBytes, x += Step * kSpan) {
    if constexpr (kAtOnce == 0) {
#pragma GCC unroll 8
      for (int v = 0; v < kSpan; ++v) {
        add_four<K, N, Step, B, PartInts>(parts, v, x, rows, sums);
      }
    } else {
#pragma GCC unroll 8
      for (int v = 0; v < kSpan; v += kAtOnce) add_some<K, N, Step, B>(parts, v, x, rows, sums);
    }
  }
}

// Sums a group's columns in one row of x.
inline int sum_of(const int8_t* words, int step, int columns) {
  int sum = 0;
  for (int c = 0; c < columns; c += 4, words += step) {
    for (int i = 0; i < 4; ++i) sum += words[i];
  }
  return sum;
}

// Whether codes of a kind are reduced by 128, the zero of the symmetric ones.
constexpr bool centred(Kind kind) { return kSignedDots && kind == Kind::kAffine8; }

// Adds to `totals` [B][M] the products of a group with N of a panel's rows.
template <Kind K, Scales S, int N, int B, int M, typename Rows>
ALWAYS_INLINE void add_rows(PartsOf<B> parts, int columns, const PanelGroup<M>& x, Rows rows,
                            const ScalesAndBiases* scales, int begin, Floats* totals) {
  constexpr bool kSymmetric = PackedMatrix::symmetric(S);
  constexpr int kStep = PanelGroup<M>::kWordStep, kCount = PartsOf<B>::kCount;
  // With Dots beside them, sums that begin with something need more registers than there are.
  constexpr bool kOffsetFirst = dots_at_once(K) == 0;
  const int8_t* words = x.words;
  // Else a compiler reads the words once for all parts, into more registers than there are.
  if constexpr (N > kRowsStreamed) asm volatile("" : "+r"(words));
  int32_t offsets[N];
  for (int n = 0; n < N; ++n) {
    offsets[n] = 0;
    if (kSymmetric && !centred(K)) offsets[n] = x.offsets[rows[n]];
    if (!kSymmetric && centred(K)) offsets[n] = 128 * sum_of(words + 4 * rows[n], kStep, columns);
  }
  PartInts sums[N][kCount];
  for (int n = 0; n < N; ++n) {
    for (int p = 0; p < kCount; ++p) sums[n][p] = PartInts{} + (kOffsetFirst ? offsets[n] : 0);
  }
  add_codes<K, N, kStep, B>(parts, columns, words, rows, sums);
  for (int n = 0; n < N; ++n) {
    for (int p = 0; p < kCount; ++p) {
      Floats& all = totals[p / kPartsAtOnce * M + rows[n]];
      int part = begin + p % kPartsAtOnce;
      PartInts sum = kOffsetFirst ? sums[n][p] : sums[n][p] + offsets[n];
      PartFloats product = __builtin_convertvector(sum, PartFloats);
      PartFloats scale = scales[p].scales * (x.scales[rows[n]] * x.step);
      PartFloats total = multiply_add(product, scale, part_of(all, part));
      if (!kSymmetric && x.sums != nullptr) {
        total = multiply_add(scales[p].biases, part_splat(x.sums[rows[n]]), total);
      }
      set_part(all, part, total);
    }
  }
}

// Handles Count rows, as many at a time as registers hold.
template <Kind K, Scales S, int Count, int B, int M, typename Rows>
ALWAYS_INLINE void add_all(PartsOf<B> parts, int columns, const PanelGroup<M>& x, Rows rows,
                           const ScalesAndBiases* scales, int begin, Floats* totals) {
  constexpr int kOnce = words_at_once(K, Count);
  for (int n = 0; n < Count; n += kOnce) {
    add_rows<K, S, kOnce, B, M>(parts, columns, x, rows.from(n), scales, begin, totals);
  }
}

// The rows of a panel that have fine bytes in a group. Returns their number.
template <int M>
ALWAYS_INLINE int fine_rows(const uint8_t* fine, int* rows) {
  int count = 0;
  for (int m = 0; m < M; ++m) {
    rows[count] = m;
    count += fine[m];
  }
  return count;
}
template <int M>
ALWAYS_INLINE bool any_fine(const uint8_t* fine) {
  uint8_t any[M];
  __builtin_memcpy(any, fine, M);
  for (int half = M / 2; half > 0; half /= 2) {
    for (int m = 0; m < half; ++m) any[m] |= any[m + half];
  }
  return any[0] != 0;
}

template <Kind K, Scales S, int B, int M>
inline void add_group(const PackedMatrix& w, const GroupOfBlocks& group, const PackedInput& x,
                      int first, Floats* totals) {
  constexpr int kCount = PartsOf<B>::kCount;
  // Rows with fine bytes that are taken at once.
  constexpr int kSome = M < 4 ? M : 4;
  int size = group_size<S>(w);
  const int64_t groups = group.count, index = group.index;
  const PackedInt8& rows = x.int8;
  const int64_t at = first * groups + M * index;
  const int8_t* words = rows.int8 + 2 * int64_t{first} * w.cols + M * index * size;
  PanelGroup<M> coarse{words, rows.scales + at, rows.sums + at, rows.offsets + at, 1};
  PanelGroup<M> fine{words + int64_t{M} * w.cols, coarse.scales, nullptr,
                     coarse.offsets + rows.m * groups, 1.0f / 254};
  int chosen[M + 1];
  int count = any_fine<M>(rows.fine + at) ? fine_rows<M>(rows.fine + at, chosen) : 0;
  // Unrolled, so that the totals of few rows stay in registers.
#pragma GCC unroll 4
  for (int begin = 0; begin < kParts; begin += kPartsAtOnce) {
    PartsOf<B> parts{group.codes + 4 * kLanes * begin, group.block_bytes};
    ScalesAndBiases scales[kCount];
    for (int p = 0; p < kCount; ++p) {
      int part = p / kPartsAtOnce * kParts + begin + p % kPartsAtOnce;
      scales[p] = group.scales[part * PackedMatrix::unit_groups(S)];
    }
    add_all<K, S, M, B, M>(parts, size, coarse, InOrder{0}, scales, begin, totals);
    int n = 0;
    for (; n + kSome <= count; n += kSome) {
      add_all<K, S, kSome, B, M>(parts, size, fine, Chosen{chosen + n}, scales, begin, totals);
    }
    for (; n < count; ++n) {
      add_all<K, S, 1, B, M>(parts, size, fine, Chosen{chosen + n}, scales, begin, totals);
    }
  }
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
