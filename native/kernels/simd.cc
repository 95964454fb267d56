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

void sum_groups(const float* x, int cols, int group_size, float* sums) {
  for (int group = 0; group < cols / group_size; ++group) {
    float total = 0;
    for (int i = 0; i < group_size; ++i) total += x[group * group_size + i];
    sums[group] = total;
  }
}

}  // namespace llm_host
