#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>

#include "engine/row.h"

namespace llm_host {

// Rows of several conversations, of which one generates at a time. Within a budget of bytes each
// keeps its cache; with no budget there is one row, which every prompt goes on from.
class RowPool {
 public:
  // Tokens of another conversation that may be thrown away rather than copied around.
  static constexpr int kSlack = 32;

  RowPool(std::function<ModelCache()> new_cache, uint64_t budget);

  // The row from which a prompt goes on: the one that shares the longest prefix with it. Where
  // going back there would throw away what belongs to another conversation, a row of its own with a
  // copy of what they share. The rows that were used longest ago make room.
  Row& choose(std::span<const int32_t> prompt);
  // The row that was used last.
  Row& latest() { return rows_.back(); }
  const Row& latest() const { return rows_.back(); }
  size_t size() const { return rows_.size(); }

 private:
  Row empty_row() const { return Row(new_cache_()); }
  void make_room();

  std::function<ModelCache()> new_cache_;
  uint64_t budget_;
  std::list<Row> rows_;  // the one used last at the end; never empty
};

}  // namespace llm_host
