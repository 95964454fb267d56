#include "kernels/packed/sets/tiles.h"

// The matrix units, fastest first. Each has a file <name>.cc here, which defines
// packed_tiles_<name>().
#define PACKED_TILES_TABLE(ROW) ROW(amx)

namespace llm_host {

#define DECLARE(name) const PackedTiles* packed_tiles_##name();
PACKED_TILES_TABLE(DECLARE)

std::span<const Variant<PackedTiles>> packed_tiles_variants() {
#define ROW(name) {#name, packed_tiles_##name},
  static constexpr Variant<PackedTiles> kTable[] = {PACKED_TILES_TABLE(ROW)};
  return kTable;
}

const PackedTiles* packed_tiles() {
  static const PackedTiles* chosen = first_usable(packed_tiles_variants());
  return chosen;
}

}  // namespace llm_host
