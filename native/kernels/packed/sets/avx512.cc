#if defined(__AVX512F__) && defined(__AVX512VNNI__)
#include <immintrin.h>
#define LLM_HOST_PACKED_ROWS 8
#define LLM_HOST_PACKED_BLOCKS 2
#define LLM_HOST_PACKED_LANES 16
#define LLM_HOST_PACKED_PARTS 1
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

typedef PartInts Dots;
constexpr bool kSignedDots = false;
constexpr int words_at_once(Kind, int words) { return words < 16 ? words : 16; }
constexpr int dots_at_once(Kind) { return 0; }

template <Kind K>
inline Dots add_dots(Dots dots, PartWords codes, int32_t x) {
  return (Dots)_mm512_dpbusd_epi32((__m512i)dots, (__m512i)codes, _mm512_set1_epi32(x));
}
template <Kind K>
inline PartInts add_sums(PartInts sums, Dots dots) {
  return sums + dots;
}

inline PartWords look_up(PartWords nibbles) {
  __m128i codes = load<__m128i>(PackedMatrix::kFloat4Codes);
  return (PartWords)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(codes), (__m512i)nibbles);
}
inline PartFloats widen_float16(PartShorts bits) {
  return (PartFloats)_mm512_cvtph_ps((__m256i)bits);
}
inline PartInts widen_bytes(const uint8_t* source) {
  return (PartInts)_mm512_cvtepi8_epi32(load<__m128i>(source));
}
inline void widen_float16(PartWords words, PartFloats& low, PartFloats& high) {
  auto widen = [](__m512i halves) {
    return (PartFloats)_mm512_cvtph_ps(_mm512_cvtepi32_epi16(halves));
  };
  low = widen((__m512i)words);
  high = widen((__m512i)(words >> 16));
}
inline PartFloats multiply_add(PartFloats a, PartFloats b, PartFloats c) {
  return (PartFloats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

}  // namespace
}  // namespace llm_host

#include "kernels/packed/sets/block_sums.h"
#include "kernels/packed/sets/quantize.h"

namespace llm_host {

const PackedKernels* packed_avx512() {
  static constexpr PackedKernels kKernels{"avx512", quantize, multiply};
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vnni");
  return here ? &kKernels : nullptr;
}

}  // namespace llm_host
#else
#include "kernels/packed/sets/kernels.h"

namespace llm_host {
const PackedKernels* packed_avx512() { return nullptr; }
}  // namespace llm_host
#endif
