#include "engine/row.h"

#include "engine/prefix.h"

namespace llm_host {

int Row::rewind(std::span<const int32_t> prompt) {
  int length = reusable_prefix(ids, prompt);
  // Later ones would hold what the row is about to overwrite.
  std::erase_if(checkpoints_, [=](const auto& c) { return c.length > length; });
  if (cache.can_trim(length)) {
    cache.trim(length);
  } else if (!checkpoints_.empty()) {
    cache.restore(checkpoints_.back());
    length = checkpoints_.back().length;
  } else {
    length = 0;
    cache.trim(0);
  }
  ids.resize(static_cast<size_t>(length));
  return length;
}

void Row::clear() {
  cache.trim(0);
  checkpoints_.clear();
  ids.clear();
}

void Row::checkpoint() {
  if (cache.always_trimmable()) return;
  if (!checkpoints_.empty() && checkpoints_.back().length == cache.length()) return;
  checkpoints_.push_back(cache.checkpoint());
  // The first one, most often the system prompt's end, serves every new conversation; of the others
  // the newest are worth most.
  if (checkpoints_.size() > kCheckpoints) checkpoints_.erase(checkpoints_.begin() + 1);
}

}  // namespace llm_host
