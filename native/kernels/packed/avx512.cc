#if defined(__AVX512F__) && defined(__AVX512VNNI__)
#include <immintrin.h>
#define LLM_HOST_PACKED_ROWS 8
#include "kernels/packed/block_sums.h"

namespace llm_host {
namespace {

inline Ints dot4(Ints sums, Words w, int32_t x) {
  return (Ints)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)w, _mm512_set1_epi32(x));
}
inline Floats widen_float16(Shorts bits) { return (Floats)_mm512_cvtph_ps((__m256i)bits); }
inline Floats multiply_add(Floats a, Floats b, Floats c) {
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

}  // namespace

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
#include "kernels/packed/kernels.h"

namespace llm_host {
const PackedKernels* packed_avx512() { return nullptr; }
}  // namespace llm_host
#endif
