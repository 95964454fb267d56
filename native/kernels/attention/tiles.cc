#include "kernels/attention/tiles.h"

// The matrix units, fastest first. Each has a file <name>.cc here, which defines
// attention_tiles_<name>().
#define ATTENTION_TILES_TABLE(ROW) ROW(amx)

namespace llm_host {

#define DECLARE(name) const AttentionTiles* attention_tiles_##name();
ATTENTION_TILES_TABLE(DECLARE)

const AttentionTiles* attention_tiles() {
#define ROW(name) {#name, attention_tiles_##name},
  static constexpr Variant<AttentionTiles> kTable[] = {ATTENTION_TILES_TABLE(ROW)};
  static const AttentionTiles* chosen =
      first_usable(std::span<const Variant<AttentionTiles>>(kTable));
  return chosen;
}

}  // namespace llm_host
