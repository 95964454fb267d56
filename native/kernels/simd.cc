#include "kernels/simd.h"

#include <cstdlib>
#include <cstring>

namespace llm_host {
namespace {

const Simd& choose() {
  const Simd* const variants[] = {simd_avx512(), simd_avx2(), simd_portable()};
  const char* wanted = std::getenv("LLM_HOST_SIMD");
  for (const Simd* variant : variants) {
    if (variant != nullptr && (wanted == nullptr || std::strcmp(wanted, variant->name) == 0)) {
      return *variant;
    }
  }
  return *simd_portable();
}

}  // namespace

const Simd& simd() {
  static const Simd& chosen = choose();
  return chosen;
}

}  // namespace llm_host
