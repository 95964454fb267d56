#include "engine/row_pool.h"

#include <iterator>

namespace llm_host {

RowPool::RowPool(std::function<ModelCache()> new_cache, uint64_t budget)
    : new_cache_(std::move(new_cache)), budget_(budget) {
  rows_.push_back(empty_row());
}

Row& RowPool::choose(std::span<const int32_t> prompt) {
  if (budget_ == 0) return rows_.back();
  auto best = rows_.begin();
  int longest = -1;
  for (auto row = rows_.begin(); row != rows_.end(); ++row) {
    // Of equals the one used last.
    if (int length = row->reusable(prompt); length >= longest) {
      best = row;
      longest = length;
    }
  }
  if (static_cast<int>(best->ids.size()) - longest > kSlack) {
    rows_.push_back(longest > 0 ? best->fork(new_cache_(), prompt) : empty_row());
  } else {
    rows_.splice(rows_.end(), rows_, best);
  }
  make_room();
  return rows_.back();
}

void RowPool::make_room() {
  uint64_t bytes = 0;
  for (auto row = std::prev(rows_.end());; --row) {
    bytes += row->bytes();
    if (bytes > budget_ && row != std::prev(rows_.end())) {
      rows_.erase(rows_.begin(), std::next(row));
      return;
    }
    if (row == rows_.begin()) return;
  }
}

}  // namespace llm_host
