#include "engine/cache/sequence_pool.h"

#include <iterator>

namespace llm_host {

SequencePool::SequencePool(std::function<ModelCache()> new_cache, uint64_t budget)
    : new_cache_(std::move(new_cache)), budget_(budget) {
  sequences_.push_back(empty_sequence());
}

Sequence& SequencePool::choose(std::span<const int32_t> prompt, bool needed) {
  if (budget_ == 0) return sequences_.back();
  auto best = sequences_.begin();
  int longest = -1;
  for (auto sequence = sequences_.begin(); sequence != sequences_.end(); ++sequence) {
    // Of equals, the most recently used.
    if (int length = sequence->reusable(prompt, needed); length >= longest) {
      best = sequence;
      longest = length;
    }
  }
  if (static_cast<int>(best->ids.size()) - longest > kSlack) {
    sequences_.push_back(longest > 0 ? best->fork(new_cache_(), prompt) : empty_sequence());
  } else {
    sequences_.splice(sequences_.end(), sequences_, best);
  }
  make_room();
  return sequences_.back();
}

void SequencePool::make_room() {
  uint64_t bytes = 0;
  for (auto sequence = std::prev(sequences_.end());; --sequence) {
    bytes += sequence->bytes();
    if (bytes > budget_ && sequence != std::prev(sequences_.end())) {
      sequences_.erase(sequences_.begin(), std::next(sequence));
      return;
    }
    if (sequence == sequences_.begin()) return;
  }
}

}  // namespace llm_host
