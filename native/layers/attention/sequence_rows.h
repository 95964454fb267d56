#pragma once

#include <span>

namespace llm_host {

// How many rows in front, each with a `cache`, belong to the first one's sequence.
template <typename Row>
int tokens_of_one(std::span<const Row> rows) {
  size_t count = 1;
  while (count < rows.size() && &rows[count].cache == &rows[0].cache) ++count;
  return static_cast<int>(count);
}

}  // namespace llm_host
