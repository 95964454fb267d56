#if defined(__AVX512F__) && defined(__AVX512VL__)
#define LLM_HOST_VECTOR_BYTES 64
#include "kernels/simd/impl.h"

namespace llm_host {
const Simd* simd_avx512() {
  static constexpr Simd kKernels = kernels_of("avx512");
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  return here ? &kKernels : nullptr;
}
}  // namespace llm_host
#else
#include "kernels/simd/simd.h"

namespace llm_host {
const Simd* simd_avx512() { return nullptr; }
}  // namespace llm_host
#endif
