#include "kernels/simd/simd.h"

// The instruction sets, fastest first. Each has a file <name>.cc here, which defines simd_<name>().
#define SIMD_TABLE(ROW) \
  ROW(avx512)           \
  ROW(avx2)             \
  ROW(neon)             \
  ROW(portable)

namespace llm_host {

#define DECLARE(name) const Simd* simd_##name();
SIMD_TABLE(DECLARE)

std::span<const Variant<Simd>> simd_variants() {
#define ROW(name) {#name, simd_##name},
  static constexpr Variant<Simd> kTable[] = {SIMD_TABLE(ROW)};
  return kTable;
}

const Simd& simd() {
  static const Simd* usable = first_usable(simd_variants());
  static const Simd& chosen = usable != nullptr ? *usable : *simd_portable();
  return chosen;
}

}  // namespace llm_host
