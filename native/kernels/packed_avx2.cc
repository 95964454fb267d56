#if defined(__AVX2__) && defined(__F16C__)
#include <immintrin.h>
#define LLM_HOST_PACKED_VECTORS 2
#include "kernels/packed_sums.h"

namespace llm_host {
namespace {

// Products of bytes are added in pairs to 16 bits, which only weights below 128 are sure to fit.
inline __m256i dot4_half(__m256i sums, __m256i w, __m256i x) {
  const __m256i ones = _mm256_set1_epi16(1), low = _mm256_set1_epi8(15);
  __m256i few = _mm256_maddubs_epi16(_mm256_and_si256(w, low), x);
  __m256i many = _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(w, 4), low), x);
  sums = _mm256_add_epi32(sums, _mm256_madd_epi16(few, ones));
  return _mm256_add_epi32(sums, _mm256_slli_epi32(_mm256_madd_epi16(many, ones), 4));
}

typedef int32_t HalfInts __attribute__((vector_size(32)));

inline Ints dot4(Ints sums, Words w, int32_t x) {
  __m256i all = _mm256_set1_epi32(x);
  HalfInts sums0 = __builtin_shufflevector(sums, sums, 0, 1, 2, 3, 4, 5, 6, 7);
  HalfInts sums1 = __builtin_shufflevector(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15);
  HalfInts w0 = __builtin_shufflevector((Ints)w, (Ints)w, 0, 1, 2, 3, 4, 5, 6, 7);
  HalfInts w1 = __builtin_shufflevector((Ints)w, (Ints)w, 8, 9, 10, 11, 12, 13, 14, 15);
  HalfInts low = (HalfInts)dot4_half((__m256i)sums0, (__m256i)w0, all);
  HalfInts high = (HalfInts)dot4_half((__m256i)sums1, (__m256i)w1, all);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

inline Floats widen_halves(Halves halves) {
  typedef float HalfFloats __attribute__((vector_size(32)));
  __m256i both = (__m256i)halves;
  HalfFloats low = (HalfFloats)_mm256_cvtph_ps(_mm256_castsi256_si128(both));
  HalfFloats high = (HalfFloats)_mm256_cvtph_ps(_mm256_extracti128_si256(both, 1));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

}  // namespace

const PackedKernels* packed_avx2() {
  static constexpr PackedKernels kKernels{"avx2", quantise, multiply};
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return here ? &kKernels : nullptr;
}

}  // namespace llm_host
#else
#include "kernels/packed_kernels.h"

namespace llm_host {
const PackedKernels* packed_avx2() { return nullptr; }
}  // namespace llm_host
#endif
