#include "kernels/simd/simd.h"

#include <cstdlib>
#include <cstring>

namespace llm_host {
namespace {

const Simd& choose() {
  const Simd* const variants[] = {simd_avx512(), simd_avx2(), simd_neon(), simd_portable()};
  for (const Simd* variant : variants) {
    if (variant != nullptr && simd_wanted(variant->name)) return *variant;
  }
  return *simd_portable();
}

}  // namespace

bool simd_wanted(const char* name) {
  const char* wanted = std::getenv("LLM_HOST_SIMD");
  return wanted == nullptr || std::strcmp(wanted, name) == 0;
}

const Simd& simd() {
  static const Simd& chosen = choose();
  return chosen;
}

}  // namespace llm_host
