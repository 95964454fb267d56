#if defined(__AVX2__) && defined(__F16C__)
#include <immintrin.h>
// Compilers keep vectors longer than the CPU's in memory, so the 16 rows are two AVX vectors here.
#define LLM_HOST_PACKED_ROWS 8
#define LLM_HOST_PACKED_BLOCKS 1
#define LLM_HOST_PACKED_LANES 8
#define LLM_HOST_PACKED_PARTS 1
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

// vpmaddubsw adds two products of an unsigned with a signed byte in saturating 16 bits. Codes of 8
// bits are too large for it and are taken as two nibbles: `high` holds the upper ones' sums.
struct Dots {
  __m256i low, high;
};
constexpr bool kSignedDots = false;
// 8 bits need twice the sums.
constexpr int words_at_once(Kind kind, int words) {
  int most = kind == Kind::kAffine8 ? 2 : 8;
  return words < most ? words : most;
}
// As many pairs as stay below 32768: 8 · 2 · 15 · 127 = 30480 with nibbles, 4 · 2 · 31 · 127 =
// 31496 with 5 bits, 2 · 2 · 63 · 127 = 32004 with 6. Of 8 bits half of what fits is faster.
constexpr int dots_at_once(Kind kind) {
  if (kind == Kind::kAffine6) return 2;
  if (kind == Kind::kAffine8) return 4;
  if (kind == Kind::kAffine5 || kind == Kind::kFloat4) return 4;
  return 8;
}

inline __m256i add_pairs(__m256i pairs, __m256i codes, int32_t x) {
  pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(codes, _mm256_set1_epi32(x)));
  // Else a compiler adds up later, and keeps all products in memory until then.
  asm("" : "+x"(pairs));
  return pairs;
}
template <Kind K>
inline Dots add_dots(Dots dots, PartWords codes, int32_t x) {
  __m256i bytes = (__m256i)codes;
  if constexpr (K != Kind::kAffine8) return {add_pairs(dots.low, bytes, x), dots.high};
  __m256i nibble = _mm256_set1_epi8(15);
  return {add_pairs(dots.low, _mm256_and_si256(bytes, nibble), x),
          add_pairs(dots.high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble), x)};
}
template <Kind K>
inline PartInts add_sums(PartInts sums, Dots dots) {
  auto widen = [](__m256i pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); };
  __m256i all = _mm256_add_epi32((__m256i)sums, widen(dots.low));
  if constexpr (K != Kind::kAffine8) return (PartInts)all;
  return (PartInts)_mm256_add_epi32(all, _mm256_slli_epi32(widen(dots.high), 4));
}

inline PartWords look_up(PartWords nibbles) {
  __m128i codes = load<__m128i>(PackedMatrix::kFloat4Codes);
  return (PartWords)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(codes), (__m256i)nibbles);
}
inline PartFloats widen_float16(PartShorts bits) {
  return (PartFloats)_mm256_cvtph_ps((__m128i)bits);
}
inline PartInts widen_bytes(const uint8_t* source) {
  return (PartInts)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128(load<int64_t>(source)));
}
inline void widen_float16(PartWords words, PartFloats& low, PartFloats& high) {
  __m256i lows = _mm256_and_si256((__m256i)words, _mm256_set1_epi32(0xffff));
  __m256i both = _mm256_packus_epi32(lows, _mm256_srli_epi32((__m256i)words, 16));
  both = _mm256_permute4x64_epi64(both, 0xd8);
  low = (PartFloats)_mm256_cvtph_ps(_mm256_castsi256_si128(both));
  high = (PartFloats)_mm256_cvtph_ps(_mm256_extracti128_si256(both, 1));
}
inline PartFloats multiply_add(PartFloats a, PartFloats b, PartFloats c) {
  return (PartFloats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

}  // namespace
}  // namespace llm_host

#include "kernels/packed/sets/block_sums.h"
#include "kernels/packed/sets/quantize.h"

namespace llm_host {

const PackedKernels* packed_avx2() {
  static constexpr PackedKernels kKernels{"avx2", quantize, multiply};
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return here ? &kKernels : nullptr;
}

}  // namespace llm_host
#else
#include "kernels/packed/sets/kernels.h"

namespace llm_host {
const PackedKernels* packed_avx2() { return nullptr; }
}  // namespace llm_host
#endif
