#include "kernels/packed/sets/kernels.h"

#include <cstdlib>
#include <string_view>

// The instruction sets, fastest first. Each has a file <name>.cc here, which defines
// packed_<name>().
#define PACKED_TABLE(ROW) \
  ROW(avx512)             \
  ROW(avx2)               \
  ROW(neon)               \
  ROW(portable)

namespace llm_host {

#define DECLARE(name) const PackedKernels* packed_##name();
PACKED_TABLE(DECLARE)

std::span<const Variant<PackedKernels>> packed_variants() {
#define ROW(name) {#name, packed_##name},
  static constexpr Variant<PackedKernels> kTable[] = {PACKED_TABLE(ROW)};
  return kTable;
}

const PackedKernels& packed_kernels() {
  static const PackedKernels* usable = first_usable(packed_variants());
  static const PackedKernels& chosen = usable != nullptr ? *usable : *packed_portable();
  return chosen;
}

float usual_fine_above() {
  static const char* wanted = std::getenv("LLM_HOST_INT8");
  static const bool everywhere = wanted != nullptr && std::string_view(wanted) == "fine";
  return everywhere ? 0 : kFineAbove;
}

bool packed_kernels_portable() { return &packed_kernels() == packed_portable(); }

}  // namespace llm_host
