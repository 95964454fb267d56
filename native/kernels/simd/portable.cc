#define LLM_HOST_VECTOR_BYTES 16
#include "kernels/simd/impl.h"

namespace llm_host {
const Simd* simd_portable() {
  static constexpr Simd kKernels = kernels_of("portable");
  return &kKernels;
}
}  // namespace llm_host
