#include "kernels/packed/kernels.h"

#include "kernels/simd/simd.h"

namespace llm_host {
namespace {

const PackedKernels& choose() {
  const PackedKernels* const variants[] = {packed_avx512(), packed_avx2(), packed_neon(),
                                           packed_portable()};
  for (const PackedKernels* variant : variants) {
    if (variant != nullptr && simd_wanted(variant->name)) return *variant;
  }
  return *packed_portable();
}

}  // namespace

const PackedKernels& packed_kernels() {
  static const PackedKernels& chosen = choose();
  return chosen;
}

bool packed_fast() { return &packed_kernels() != packed_portable(); }

}  // namespace llm_host
