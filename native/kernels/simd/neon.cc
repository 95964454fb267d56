#if defined(__aarch64__)
#define LLM_HOST_VECTOR_BYTES 16
#define LLM_HOST_NEON
#include "kernels/simd/impl.h"

namespace llm_host {
// Every AArch64 CPU has NEON and its float16 conversions. Only those conversions need intrinsics:
// compilers translate the vector types well by themselves.
const Simd* simd_neon() {
  static constexpr Simd kKernels = kernels_of("neon");
  return &kKernels;
}
}  // namespace llm_host
#else
#include "kernels/simd/simd.h"

namespace llm_host {
const Simd* simd_neon() { return nullptr; }
}  // namespace llm_host
#endif
