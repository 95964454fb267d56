#include "kernels/packed/panels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

// Bytes to prefetch ahead: the hardware prefetcher stops at page boundaries.
constexpr int kAhead = 4096;

inline __m512 widen_float16(const uint8_t* source) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(source)));
}
inline __m512 widen_bfloat16(const uint8_t* source) {
  __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

struct ScalesAndBiases {
  __m512 scales, biases;
};

inline ScalesAndBiases six_bits(const uint8_t* header, int group) {
  __m128i shift = _mm_cvtsi32_si128(4 * group);
  auto bits = [&](int word, int mask) {
    __m512i all = _mm512_loadu_si512(header + 64 + 64 * word);
    return _mm512_and_si512(_mm512_srl_epi32(all, shift), _mm512_set1_epi32(mask));
  };
  __m512i scale = _mm512_or_si512(bits(0, 15), _mm512_slli_epi32(bits(2, 3), 4));
  __m512i minimum = _mm512_or_si512(bits(1, 15), _mm512_slli_epi32(bits(2, 12), 2));
  __m512 biases = _mm512_mul_ps(widen_float16(header + 32), _mm512_cvtepi32_ps(minimum));
  return {_mm512_mul_ps(widen_float16(header), _mm512_cvtepi32_ps(scale)),
          _mm512_sub_ps(_mm512_setzero_ps(), biases)};
}

// Of the group-th group of the unit whose header this is.
inline ScalesAndBiases load_scales(const PackedMatrix& w, const uint8_t* header, int group) {
  __m512 zero = _mm512_set1_ps(static_cast<float>(-w.zero));
  switch (w.scales) {
    case Scales::kFloat32:
      return {_mm512_loadu_ps(header), _mm512_loadu_ps(header + 64)};
    case Scales::kBfloat16:
      return {widen_bfloat16(header), widen_bfloat16(header + 32)};
    case Scales::kFloat16:
      return {widen_float16(header), widen_float16(header + 32)};
    case Scales::kSixBits:
      return six_bits(header, group);
    case Scales::kSymmetric: {
      __m512 scales = widen_float16(header);
      return {scales, _mm512_mul_ps(scales, zero)};
    }
    case Scales::kSignedBytes:
      break;
  }
  const uint8_t* bytes = header + 32 + 16 * group;
  __m512i scales = _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  __m512 product = _mm512_mul_ps(widen_float16(header), _mm512_cvtepi32_ps(scales));
  return {product, _mm512_mul_ps(product, zero)};
}

// Two columns of 16 rows, truncated instead of rounded: see kTruncationScale.
inline __m512i truncate(__m512 even, __m512 odd) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  __m512i low = _mm512_srli_epi32(_mm512_castps_si512(even), 16);
  return _mm512_ternarylogic_epi32(low, _mm512_castps_si512(odd), upper, 0xf8);
}

constexpr int upper_bits(Kind kind) {
  return kind == Kind::kAffine5 ? 1 : kind == Kind::kAffine6 ? 2 : 0;
}

// Codes of one group -> eight columns at a time.
template <Kind K>
void unpack_group(const PackedMatrix& w, const uint8_t* words, ScalesAndBiases s, uint8_t* out) {
  const __m512 table = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  constexpr int kUpper = upper_bits(K), kLows = kUpper == 0 ? 1 : 4 / kUpper;
  const __m512 factor = _mm512_set1_ps(kTruncationScale);
  __m512 scale = _mm512_mul_ps(s.scales, factor), bias = _mm512_mul_ps(s.biases, factor);
  for (int column = 0; column < w.group_size;) {
    __m512i upper = _mm512_setzero_si512();
    if constexpr (kUpper != 0) upper = _mm512_loadu_si512(words + 64 * kLows);
    for (int low = 0; low < kLows; ++low, column += 8) {
      __m512i word = _mm512_loadu_si512(words);
      __builtin_prefetch(words + kAhead);
      words += 64;
      if constexpr (K == Kind::kAffine8) {
        upper = _mm512_loadu_si512(words);
        __builtin_prefetch(words + kAhead);
        words += 64;
      }
      __m512 values[8];
      for (int k = 0; k < 8; ++k) {
        if constexpr (K == Kind::kAffine4) {
          values[k] = _mm512_permutexvar_ps(_mm512_srli_epi32(word, 4 * k), table);
        } else if constexpr (K == Kind::kAffine8) {
          __m512i four = _mm512_srli_epi32(k < 4 ? word : upper, 8 * (k % 4));
          values[k] = _mm512_cvtepi32_ps(_mm512_and_si512(four, _mm512_set1_epi32(255)));
        } else {
          constexpr int kMask = (1 << kUpper) - 1;
          int shift = 8 * (k / 2) + kUpper * (2 * low + k % 2);
          __m512i nibble = _mm512_and_si512(_mm512_srli_epi32(word, 4 * k), _mm512_set1_epi32(15));
          __m512i more =
              _mm512_and_si512(_mm512_srli_epi32(upper, shift), _mm512_set1_epi32(kMask));
          values[k] = _mm512_cvtepi32_ps(_mm512_or_si512(nibble, _mm512_slli_epi32(more, 4)));
        }
        values[k] = _mm512_fmadd_ps(values[k], scale, bias);
      }
      for (int k = 0; k < 8; k += 2, out += 64) {
        _mm512_store_si512(out, truncate(values[k], values[k + 1]));
      }
    }
    if constexpr (kUpper != 0) words += 64;
  }
}

// The nearest bfloat16 of each, ties to even, as AVX512-BF16 has it.
inline __m512i nearest(__m512 x) {
  __m512i bits = _mm512_castps_si512(x);
  __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
}

void widen_float16(const uint8_t* words, int count, uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    __m512i word = _mm512_loadu_si512(words + 64 * i);
    __m512 even = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(word));
    __m512 odd = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(word, 16)));
    __m512i both = truncate(_mm512_castsi512_ps(nearest(even)), _mm512_castsi512_ps(nearest(odd)));
    _mm512_store_si512(out + 64 * i, both);
  }
}

template <Kind K>
void unpack_block(const PackedMatrix& w, const uint8_t* source, uint8_t* out) {
  int in_unit = w.unit_groups();
  for (int g = 0; g < w.groups(); source += w.unit_bytes()) {
    const uint8_t* words = source + w.header_bytes();
    for (int i = 0; i < in_unit; ++i, ++g, words += w.group_bytes(), out += 32 * w.group_size) {
      unpack_group<K>(w, words, load_scales(w, source, i), out);
    }
  }
}

}  // namespace

void unpack_panel(const PackedMatrix& w, int block, uint8_t* out) {
  const uint8_t* source = w.data + block * w.block_bytes();
  switch (w.kind) {
    case Kind::kAffine4:
      return unpack_block<Kind::kAffine4>(w, source, out);
    case Kind::kAffine5:
      return unpack_block<Kind::kAffine5>(w, source, out);
    case Kind::kAffine6:
      return unpack_block<Kind::kAffine6>(w, source, out);
    case Kind::kAffine8:
      return unpack_block<Kind::kAffine8>(w, source, out);
    case Kind::kFloat16:
      return widen_float16(source, w.cols / 2, out);
    case Kind::kBfloat16:
      __builtin_trap();
  }
}

bool panels_available() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

}  // namespace llm_host
#else
namespace llm_host {
void unpack_panel(const PackedMatrix&, int, uint8_t*) { __builtin_trap(); }
bool panels_available() { return false; }
}  // namespace llm_host
#endif
