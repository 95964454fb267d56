#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define LLM_HOST_VECTOR_BYTES 32
#include "kernels/simd/impl.h"

namespace llm_host {
const Simd* simd_avx2() {
  static constexpr Simd kKernels = kernels_of("avx2");
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c");
  return here ? &kKernels : nullptr;
}
}  // namespace llm_host
#else
#include "kernels/simd/simd.h"

namespace llm_host {
const Simd* simd_avx2() { return nullptr; }
}  // namespace llm_host
#endif
