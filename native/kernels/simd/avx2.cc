#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define LLM_HOST_VECTOR_BYTES 32
#include <cpuid.h>

#include "kernels/simd/impl.h"

namespace llm_host {
// Not every clang has a name for it in __builtin_cpu_supports.
static bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

const Simd* simd_avx2() {
  static constexpr Simd kKernels = kernels_of("avx2");
  __builtin_cpu_init();
  bool here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
  return here ? &kKernels : nullptr;
}
}  // namespace llm_host
#else
#include "kernels/simd/simd.h"

namespace llm_host {
const Simd* simd_avx2() { return nullptr; }
}  // namespace llm_host
#endif
