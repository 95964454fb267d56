#if defined(__AVX2__) && defined(__F16C__)
#include <immintrin.h>
#define LLM_HOST_PACKED_ROWS 4
#include "kernels/packed/impl.h"

namespace llm_host {
namespace {

// Compilers keep vectors longer than the CPU's in memory, so the 16 rows are two AVX vectors here.
constexpr int kParts = kRows / 8;

// Words summed up in 16 bits before they are added to 32-bit accumulators. vpmaddubsw adds two
// products of an unsigned with a signed byte in saturating 16 bits, which is safe for nibbles
// alone: eight such pairs are at most 8 · 2 · 15 · 127 = 30480.
constexpr int kWords = 4;

inline __m256i broadcast(const int8_t* source) {
  int32_t word;
  __builtin_memcpy(&word, source, sizeof word);
  return _mm256_set1_epi32(word);
}
inline __m256i low_nibbles(__m256i w) { return _mm256_and_si256(w, _mm256_set1_epi8(15)); }
inline __m256i high_nibbles(__m256i w) { return low_nibbles(_mm256_srli_epi16(w, 4)); }
inline void add_dots(__m256i& pairs, __m256i nibbles, const int8_t* x) {
  pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(nibbles, broadcast(x)));
}
inline __m256i add_pairs(__m256i sums, __m256i pairs) {
  return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

// The upper bits of the bytes that are multiplied k-th, in place above a nibble.
template <Kind K>
inline __m256i upper_of(__m256i bits, int k) {
  constexpr int kMask = ((1 << upper_bits(K)) - 1) * 0x10101010;
  int shift = 4 - upper_bits(K) * k;
  bits = shift >= 0 ? _mm256_slli_epi32(bits, shift) : _mm256_srli_epi32(bits, -shift);
  return _mm256_and_si256(bits, _mm256_set1_epi32(kMask));
}

// Adds the products of a chunk of eight weight rows with M rows of x: words of low nibbles and one
// with their upper bits. Of 5 bits four pairs fit 16-bit sums (4 · 2 · 31 · 127 = 31496), of 6 bits
// two (2 · 2 · 63 · 127 = 32004).
template <Kind K, int M>
inline void add_chunk(const uint8_t* source, const int8_t* x, int64_t cols, __m256i* coarse,
                      __m256i* fine) {
  constexpr int kLows = low_words(K), kStep = K == Kind::kAffine5 ? 2 : 1;
  __m256i bits = load<__m256i>(source + 64 * kLows);
  for (int first = 0; first < kLows; first += kStep) {
    __m256i coarse_pairs[M] = {}, fine_pairs[M] = {};
    for (int k = first; k < first + kStep; ++k) {
      __m256i word = load<__m256i>(source + 64 * k);
      __m256i low = _mm256_or_si256(low_nibbles(word), upper_of<K>(bits, 2 * k));
      __m256i high = _mm256_or_si256(high_nibbles(word), upper_of<K>(bits, 2 * k + 1));
      for (int m = 0; m < M; ++m) {
        const int8_t* at = x + 2 * m * cols + 8 * k;
        add_dots(coarse_pairs[m], low, at);
        add_dots(coarse_pairs[m], high, at + 4);
        add_dots(fine_pairs[m], low, at + cols);
        add_dots(fine_pairs[m], high, at + cols + 4);
      }
    }
    for (int m = 0; m < M; ++m) {
      coarse[m] = add_pairs(coarse[m], coarse_pairs[m]);
      fine[m] = add_pairs(fine[m], fine_pairs[m]);
    }
  }
}

// Adds the products of four words of eight weight rows (32 columns of 4 bits) with M rows of x.
template <int M>
inline void add_words4(const uint8_t* source, const int8_t* x, int64_t cols, __m256i* coarse,
                       __m256i* fine) {
  __m256i coarse_pairs[M] = {}, fine_pairs[M] = {};
  for (int i = 0; i < kWords; ++i, source += 64, x += 8) {
    __m256i word = load<__m256i>(source);
    __m256i low = low_nibbles(word), high = high_nibbles(word);
    for (int m = 0; m < M; ++m) {
      const int8_t* at = x + 2 * m * cols;
      add_dots(coarse_pairs[m], low, at);
      add_dots(coarse_pairs[m], high, at + 4);
      add_dots(fine_pairs[m], low, at + cols);
      add_dots(fine_pairs[m], high, at + cols + 4);
    }
  }
  for (int m = 0; m < M; ++m) {
    coarse[m] = add_pairs(coarse[m], coarse_pairs[m]);
    fine[m] = add_pairs(fine[m], fine_pairs[m]);
  }
}

// The same for 16 columns of 8 bits, taken as two nibbles each, and one row of x.
inline void add_words8(const uint8_t* source, const int8_t* x, int64_t cols, __m256i& coarse,
                       __m256i& fine) {
  __m256i coarse_low{}, coarse_high{}, fine_low{}, fine_high{};
  for (int i = 0; i < kWords; ++i, source += 64, x += 4) {
    __m256i word = load<__m256i>(source);
    __m256i low = low_nibbles(word), high = high_nibbles(word);
    add_dots(coarse_low, low, x);
    add_dots(coarse_high, high, x);
    add_dots(fine_low, low, x + cols);
    add_dots(fine_high, high, x + cols);
  }
  auto both = [](__m256i low, __m256i high) {
    return add_pairs(_mm256_slli_epi32(add_pairs(__m256i{}, high), 4), low);
  };
  coarse = _mm256_add_epi32(coarse, both(coarse_low, coarse_high));
  fine = _mm256_add_epi32(fine, both(fine_low, fine_high));
}

struct ScalesAndBiases {
  __m256 scales, biases;
};

// Of eight weight rows in the group-th group of the unit whose header this is.
template <Scales S>
inline ScalesAndBiases load_scales(const PackedMatrix& w, const uint8_t* header, int group,
                                   int part) {
  if constexpr (S == Scales::kFloat32) {
    return {load<__m256>(header + 32 * part), load<__m256>(header + 64 + 32 * part)};
  } else if constexpr (S == Scales::kBfloat16) {
    auto widen = [](const uint8_t* source) {
      __m256i bits = _mm256_cvtepu16_epi32(load<__m128i>(source));
      return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
    };
    return {widen(header + 16 * part), widen(header + 32 + 16 * part)};
  } else {
    __m256 first = _mm256_cvtph_ps(load<__m128i>(header + 16 * part));
    __m256 zero = _mm256_set1_ps(static_cast<float>(-w.zero));
    if constexpr (S == Scales::kSymmetric) return {first, _mm256_mul_ps(first, zero)};
    if constexpr (S == Scales::kSignedBytes) {
      const uint8_t* bytes = header + 32 + 16 * group + 8 * part;
      __m256i scales = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(load<int64_t>(bytes)));
      first = _mm256_mul_ps(first, _mm256_cvtepi32_ps(scales));
      return {first, _mm256_mul_ps(first, zero)};
    }
    __m256 second = _mm256_cvtph_ps(load<__m128i>(header + 32 + 16 * part));
    if constexpr (S == Scales::kFloat16) return {first, second};
    __m128i shift = _mm_cvtsi32_si128(4 * group);
    auto bits = [&](int word) {
      return _mm256_srl_epi32(load<__m256i>(header + 64 + 64 * word + 32 * part), shift);
    };
    auto both = [](__m256i low, __m256i high) {
      low = _mm256_and_si256(low, _mm256_set1_epi32(15));
      return _mm256_cvtepi32_ps(_mm256_or_si256(low, high));
    };
    __m256i upper = bits(2);
    __m256i scale = _mm256_slli_epi32(_mm256_and_si256(upper, _mm256_set1_epi32(3)), 4);
    __m256i minimum = _mm256_slli_epi32(_mm256_and_si256(upper, _mm256_set1_epi32(12)), 2);
    second = _mm256_mul_ps(second, both(bits(1), minimum));
    return {_mm256_mul_ps(first, both(bits(0), scale)),
            _mm256_xor_ps(second, _mm256_set1_ps(-0.0f))};
  }
}

// Adds the products of a group of eight weight rows with M rows of x.
template <Kind K, int M>
inline void add_codes(const uint8_t* codes, int columns, const int8_t* x, int64_t cols,
                      __m256i* coarse, __m256i* fine) {
  if constexpr (K == Kind::kAffine4) {
    for (int i = 0; i < columns; i += 8 * kWords, codes += 64 * kWords) {
      add_words4<M>(codes, x + i, cols, coarse, fine);
    }
  } else if constexpr (K == Kind::kAffine8) {
    for (int i = 0; i < columns; i += 4 * kWords, codes += 64 * kWords) {
      for (int m = 0; m < M; ++m) {
        add_words8(codes, x + static_cast<int64_t>(2 * m) * cols + i, cols, coarse[m], fine[m]);
      }
    }
  } else {
    constexpr int kLows = low_words(K);
    for (int i = 0; i < columns; i += 8 * kLows, codes += 64 * (kLows + 1)) {
      add_chunk<K, M>(codes, x + i, cols, coarse, fine);
    }
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* header, const uint8_t* codes,
                      const PackedInput& x, int first, int index, Floats* totals) {
  int size = group_size<S>(w);
  const int8_t* int8 =
      x.int8 + static_cast<int64_t>(first) * 2 * w.cols + static_cast<int64_t>(index) * size;
  for (int p = 0; p < kParts; ++p) {
    __m256i coarse[M] = {}, fine[M] = {};
    add_codes<K, M>(codes + 32 * p, size, int8, w.cols, coarse, fine);
    auto [scale, bias] = load_scales<S>(w, header, in_unit<S>(index), p);
    for (int m = 0; m < M; ++m) {
      int64_t at = static_cast<int64_t>(first + m) * w.groups() + index;
      float* total = reinterpret_cast<float*>(totals + m) + 8 * p;
      __m256 product = _mm256_fmadd_ps(_mm256_cvtepi32_ps(fine[m]), _mm256_set1_ps(1.0f / 254),
                                       _mm256_cvtepi32_ps(coarse[m]));
      __m256 sum = _mm256_fmadd_ps(product, _mm256_mul_ps(scale, _mm256_set1_ps(x.scales[at])),
                                   _mm256_loadu_ps(total));
      _mm256_storeu_ps(total, _mm256_fmadd_ps(bias, _mm256_set1_ps(x.sums[at]), sum));
    }
  }
}

// The two columns in each word of eight weight rows.
struct Pair {
  __m256 first, second;
};
template <Kind K>
inline Pair widen_pair(__m256i word) {
  if constexpr (K == Kind::kBfloat16) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(word, 16)),
            _mm256_castsi256_ps(_mm256_and_si256(word, _mm256_set1_epi32(-65536)))};
  } else {
    __m256i low = _mm256_and_si256(word, _mm256_set1_epi32(0xffff));
    __m256i both = _mm256_packus_epi32(low, _mm256_srli_epi32(word, 16));
    both = _mm256_permute4x64_epi64(both, 0xd8);
    return {_mm256_cvtph_ps(_mm256_castsi256_si128(both)),
            _mm256_cvtph_ps(_mm256_extracti128_si256(both, 1))};
  }
}

template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals) {
  const float* values = x.values + static_cast<int64_t>(first) * w.cols;
  for (int p = 0; p < kParts; ++p) {
    __m256 even[M] = {}, odd[M] = {};
    const uint8_t* words = source + 32 * p;
    for (int i = 0; i < w.cols; i += 2, words += 64) {
      if constexpr (M == 1) __builtin_prefetch(words + kAhead);
      Pair pair = widen_pair<K>(load<__m256i>(words));
      for (int m = 0; m < M; ++m) {
        const float* at = values + static_cast<int64_t>(m) * w.cols + i;
        even[m] = _mm256_fmadd_ps(pair.first, _mm256_broadcast_ss(at), even[m]);
        odd[m] = _mm256_fmadd_ps(pair.second, _mm256_broadcast_ss(at + 1), odd[m]);
      }
    }
    for (int m = 0; m < M; ++m) {
      float* total = reinterpret_cast<float*>(totals + m) + 8 * p;
      __m256 sum = _mm256_add_ps(even[m], odd[m]);
      _mm256_storeu_ps(total, _mm256_add_ps(_mm256_loadu_ps(total), sum));
    }
  }
}

}  // namespace

const PackedKernels* packed_avx2() {
  static constexpr PackedKernels kKernels{"avx2", quantize, multiply};
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return here ? &kKernels : nullptr;
}

}  // namespace llm_host
#else
#include "kernels/packed/kernels.h"

namespace llm_host {
const PackedKernels* packed_avx2() { return nullptr; }
}  // namespace llm_host
#endif
