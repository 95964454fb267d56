#include "kernels/packed/sets/panels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>
#define LLM_HOST_PACKED_LANES 16
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

// Bytes to prefetch ahead: the hardware prefetcher stops at page boundaries.
constexpr int kAhead = 4096;

inline PartFloats widen_float16(PartShorts bits) {
  return (PartFloats)_mm512_cvtph_ps((__m256i)bits);
}
inline PartInts widen_bytes(const uint8_t* source) {
  return (PartInts)_mm512_cvtepi8_epi32(load<__m128i>(source));
}

void load_scales(const PackedMatrix& w, const uint8_t* header, ScalesAndBiases* groups) {
  switch (w.scales) {
    case Scales::kFloat32:
      return load_scales<Scales::kFloat32>(w, header, 0, groups);
    case Scales::kBfloat16:
      return load_scales<Scales::kBfloat16>(w, header, 0, groups);
    case Scales::kFloat16:
      return load_scales<Scales::kFloat16>(w, header, 0, groups);
    case Scales::kSymmetric:
      return load_scales<Scales::kSymmetric>(w, header, 0, groups);
    case Scales::kSixBits:
      return load_scales<Scales::kSixBits>(w, header, 0, groups);
    case Scales::kSignedBytes:
      return load_scales<Scales::kSignedBytes>(w, header, 0, groups);
    case Scales::kExponents:
      return load_scales<Scales::kExponents>(w, header, 0, groups);
    case Scales::kFloat8:
      return load_scales<Scales::kFloat8>(w, header, 0, groups);
  }
  __builtin_trap();
}

// Two columns of 16 rows, truncated instead of rounded: see kTruncationScale.
inline __m512i truncate(__m512 even, __m512 odd) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  __m512i low = _mm512_srli_epi32(_mm512_castps_si512(even), 16);
  return _mm512_ternarylogic_epi32(low, _mm512_castps_si512(odd), upper, 0xf8);
}

constexpr uint8_t kIdentity[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The code of a word's k-th column -> float32; `upper`: the word of upper bits of its chunk, and
// `low` which of the chunk's words it is.
template <Kind K>
inline __m512 code_of(__m512i word, __m512i upper, int low, int k) {
  constexpr int kLow = PackedMatrix::low_bits(K), kUpper = PackedMatrix::upper_bits(K);
  constexpr int kPhases = PackedMatrix::phases(K);
  __m512i code = _mm512_srli_epi32(word, static_cast<unsigned>(kLow * k));
  if constexpr (K == Kind::kAffine4 || K == Kind::kFloat4) {
    const __m512i bytes = _mm512_cvtepu8_epi32(
        load<__m128i>(K == Kind::kAffine4 ? kIdentity : PackedMatrix::kFloat4Codes));
    return _mm512_permutexvar_ps(code, _mm512_cvtepi32_ps(bytes));
  }
  code = _mm512_and_si512(code, _mm512_set1_epi32((1 << kLow) - 1));
  if constexpr (kUpper != 0) {
    int bit = 8 * (k / kPhases) + kUpper * (low * kPhases + k % kPhases);
    __m512i more = _mm512_and_si512(_mm512_srli_epi32(upper, static_cast<unsigned>(bit)),
                                    _mm512_set1_epi32((1 << kUpper) - 1));
    code = _mm512_or_si512(code, _mm512_slli_epi32(more, kLow));
  }
  return _mm512_cvtepi32_ps(code);
}

// Codes of one group -> its columns, a word of low bits at a time.
template <Kind K>
void unpack_group(const PackedMatrix& w, const uint8_t* words, ScalesAndBiases s, uint8_t* out) {
  constexpr int kLows = PackedMatrix::low_words(K), kColumns = 4 * PackedMatrix::phases(K);
  constexpr bool kUpper = PackedMatrix::upper_bits(K) != 0;
  const __m512 factor = _mm512_set1_ps(kTruncationScale);
  __m512 scale = _mm512_mul_ps((__m512)s.scales, factor);
  __m512 bias = _mm512_mul_ps((__m512)s.biases, factor);
  for (int column = 0; column < w.group_size;) {
    __m512i upper = _mm512_setzero_si512();
    if constexpr (kUpper) upper = _mm512_loadu_si512(words + 64 * kLows);
    for (int low = 0; low < kLows; ++low, column += kColumns, words += 64) {
      __m512i word = _mm512_loadu_si512(words);
      __builtin_prefetch(words + kAhead);
#pragma GCC unroll 8
      for (int k = 0; k < kColumns; k += 2, out += 64) {
        __m512 even = _mm512_fmadd_ps(code_of<K>(word, upper, low, k), scale, bias);
        __m512 odd = _mm512_fmadd_ps(code_of<K>(word, upper, low, k + 1), scale, bias);
        _mm512_store_si512(out, truncate(even, odd));
      }
    }
    if constexpr (kUpper) words += 64;
  }
}

// The nearest bfloat16 of each, ties to even, as AVX512-BF16 has it.
inline __m512i nearest(__m512 x) {
  __m512i bits = _mm512_castps_si512(x);
  __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
}

void round_float16(const uint8_t* words, int count, uint8_t* out) {
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
  ScalesAndBiases scales[PackedMatrix::kMostUnitGroups];
  for (int g = 0; g < w.groups(); source += w.unit_bytes()) {
    const uint8_t* words = source + w.header_bytes();
    load_scales(w, source, scales);
    for (int i = 0; i < in_unit; ++i, ++g, words += w.group_bytes(), out += 32 * w.group_size) {
      unpack_group<K>(w, words, scales[i], out);
    }
  }
}

}  // namespace

void unpack_panel(const PackedMatrix& w, int block, uint8_t* out) {
  const uint8_t* source = w.data + block * w.block_bytes();
  switch (w.kind) {
    case Kind::kAffine2:
      return unpack_block<Kind::kAffine2>(w, source, out);
    case Kind::kAffine3:
      return unpack_block<Kind::kAffine3>(w, source, out);
    case Kind::kFloat4:
      return unpack_block<Kind::kFloat4>(w, source, out);
    case Kind::kAffine4:
      return unpack_block<Kind::kAffine4>(w, source, out);
    case Kind::kAffine5:
      return unpack_block<Kind::kAffine5>(w, source, out);
    case Kind::kAffine6:
      return unpack_block<Kind::kAffine6>(w, source, out);
    case Kind::kAffine8:
      return unpack_block<Kind::kAffine8>(w, source, out);
    case Kind::kFloat16:
      return round_float16(source, w.cols / 2, out);
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
