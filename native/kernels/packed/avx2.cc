#if defined(__AVX2__) && defined(__F16C__)
#include <immintrin.h>
#define LLM_HOST_PACKED_VECTORS 4
#include "kernels/packed/impl.h"

namespace llm_host {
namespace {

// Compilers keep vectors longer than the CPU's in memory, so that the 16 rows are two of its own
// here.
constexpr int kParts = kRows / 8;

// Products of unsigned with signed bytes come in pairs of 16 bits, which only nibbles are sure to
// fit: eight such pairs are at most 8 · 2 · 15 · 127, and are added to 32 bits then.
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

// Adds four words of eight rows with M vectors: 32 columns of 4 bits, 8 in each word.
template <int M>
inline void add_words4(const uint8_t* source, const int8_t* x, int64_t cols, __m256i* sums,
                       __m256i* rests) {
  __m256i pairs[M] = {}, rest_pairs[M] = {};
  for (int i = 0; i < kWords; ++i, source += 64, x += 8) {
    __m256i word = load<__m256i>(source);
    __m256i low = low_nibbles(word), high = high_nibbles(word);
    for (int m = 0; m < M; ++m) {
      const int8_t* at = x + 2 * m * cols;
      add_dots(pairs[m], low, at);
      add_dots(pairs[m], high, at + 4);
      add_dots(rest_pairs[m], low, at + cols);
      add_dots(rest_pairs[m], high, at + cols + 4);
    }
  }
  for (int m = 0; m < M; ++m) {
    sums[m] = add_pairs(sums[m], pairs[m]);
    rests[m] = add_pairs(rests[m], rest_pairs[m]);
  }
}

// The same for 16 columns of 8 bits, each of which is two nibbles, and one vector.
inline void add_words8(const uint8_t* source, const int8_t* x, int64_t cols, __m256i& sums,
                       __m256i& rests) {
  __m256i few{}, many{}, rest_few{}, rest_many{};
  for (int i = 0; i < kWords; ++i, source += 64, x += 4) {
    __m256i word = load<__m256i>(source);
    __m256i low = low_nibbles(word), high = high_nibbles(word);
    add_dots(few, low, x);
    add_dots(many, high, x);
    add_dots(rest_few, low, x + cols);
    add_dots(rest_many, high, x + cols);
  }
  auto both = [](__m256i low, __m256i high) {
    return add_pairs(_mm256_slli_epi32(add_pairs(__m256i{}, high), 4), low);
  };
  sums = _mm256_add_epi32(sums, both(few, many));
  rests = _mm256_add_epi32(rests, both(rest_few, rest_many));
}

// The scales of eight rows.
template <Scales S>
inline __m256 load_scales(const uint8_t* source, int part) {
  if constexpr (S == Scales::kFloat32) {
    return load<__m256>(source + 32 * part);
  } else {
    __m128i halves = load<__m128i>(source + 16 * part);
    if constexpr (S == Scales::kFloat16) return _mm256_cvtph_ps(halves);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* group, const PackedInput& x, int first,
                      int index, Floats* totals) {
  constexpr int kScaleBytes = S == Scales::kFloat32 ? 64 : 32;
  const int8_t* numbers =
      x.numbers + static_cast<int64_t>(first) * 2 * w.cols + index * w.group_size;
  for (int p = 0; p < kParts; ++p) {
    const uint8_t* source = group + 2 * kScaleBytes + 32 * p;
    __m256i sums[M] = {}, rests[M] = {};
    for (int i = 0; i < w.group_words(); i += kWords) {
      if constexpr (K == Kind::kAffine4) {
        add_words4<M>(source + 64 * i, numbers + 8 * i, w.cols, sums, rests);
      } else {
        for (int m = 0; m < M; ++m) {
          add_words8(source + 64 * i, numbers + static_cast<int64_t>(2 * m) * w.cols + 4 * i,
                     w.cols, sums[m], rests[m]);
        }
      }
    }
    __m256 scale = load_scales<S>(group, p), bias = load_scales<S>(group + kScaleBytes, p);
    for (int m = 0; m < M; ++m) {
      int64_t at = static_cast<int64_t>(first + m) * w.groups() + index;
      float* total = reinterpret_cast<float*>(totals + m) + 8 * p;
      __m256 product = _mm256_fmadd_ps(_mm256_cvtepi32_ps(rests[m]), _mm256_set1_ps(1.0f / 254),
                                       _mm256_cvtepi32_ps(sums[m]));
      __m256 sum = _mm256_fmadd_ps(product, _mm256_mul_ps(scale, _mm256_set1_ps(x.scales[at])),
                                   _mm256_loadu_ps(total));
      _mm256_storeu_ps(total, _mm256_fmadd_ps(bias, _mm256_set1_ps(x.sums[at]), sum));
    }
  }
}

// The two columns of a word of eight rows.
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
    __m256i packed = _mm256_packus_epi32(low, _mm256_srli_epi32(word, 16));
    packed = _mm256_permute4x64_epi64(packed, 0xd8);
    return {_mm256_cvtph_ps(_mm256_castsi256_si128(packed)),
            _mm256_cvtph_ps(_mm256_extracti128_si256(packed, 1))};
  }
}

template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals) {
  const float* values = x.values + static_cast<int64_t>(first) * w.cols;
  for (int p = 0; p < kParts; ++p) {
    __m256 sums[M] = {}, others[M] = {};
    const uint8_t* words = source + 32 * p;
    for (int i = 0; i < w.cols; i += 2, words += 64) {
      if constexpr (M == 1) __builtin_prefetch(words + kAhead);
      Pair pair = widen_pair<K>(load<__m256i>(words));
      for (int m = 0; m < M; ++m) {
        const float* at = values + static_cast<int64_t>(m) * w.cols + i;
        sums[m] = _mm256_fmadd_ps(pair.first, _mm256_broadcast_ss(at), sums[m]);
        others[m] = _mm256_fmadd_ps(pair.second, _mm256_broadcast_ss(at + 1), others[m]);
      }
    }
    for (int m = 0; m < M; ++m) {
      float* total = reinterpret_cast<float*>(totals + m) + 8 * p;
      __m256 sum = _mm256_add_ps(sums[m], others[m]);
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
