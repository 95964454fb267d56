#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The tokens of a text for an encoder, and the type of each (0, or 1 in the second text of a pair).
struct TextTokens {
  std::span<const int32_t> ids;
  std::span<const int32_t> types;
};

// Several texts as the input of an encoder: on a CPU side by side, without padding, else a row for
// each. [rows, columns] below is [1, T] or [texts, longest].
struct TextBatch {
  mx::array ids, types, positions;  // [rows, columns] int32
  std::vector<int> lengths;         // of the texts
  // [texts, 1, 1, longest] bool: which columns are tokens. Nothing where all are.
  std::optional<mx::array> mask;
};

// `texts`: at least one, none of them empty. Padding has id 0.
TextBatch make_text_batch(std::span<const TextTokens> texts);

}  // namespace llm_host
