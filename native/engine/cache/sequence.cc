#include "engine/cache/sequence.h"

#include "engine/cache/prefix.h"

namespace llm_host {

int Sequence::rewind(std::span<const int32_t> prompt) {
  int length = reusable_prefix(ids, prompt);
  // The sequence is about to overwrite what longer ones hold.
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

const ModelCache::Checkpoint* Sequence::checkpoint_within(int length) const {
  const ModelCache::Checkpoint* best = nullptr;
  for (const auto& checkpoint : checkpoints_) {
    if (checkpoint.length <= length) best = &checkpoint;
  }
  return best;
}

int Sequence::reusable(std::span<const int32_t> prompt, bool needed) const {
  if (needed && !reproducible_) return 0;
  int length = reusable_prefix(ids, prompt);
  if (cache.can_trim(length)) return length;
  const ModelCache::Checkpoint* checkpoint = checkpoint_within(length);
  return checkpoint != nullptr ? checkpoint->length : 0;
}

LayerState Sequence::state_of(size_t layer, int length) const {
  const ModelCache::Checkpoint* checkpoint =
      cache.can_trim(length) ? nullptr : checkpoint_within(length);
  bool remembered = checkpoint != nullptr && checkpoint->layers.at(layer);
  return remembered ? *checkpoint->layers[layer] : cache.state_of(layer, length);
}

Sequence Sequence::fork(ModelCache cache, std::span<const int32_t> prompt) const {
  Sequence sequence(std::move(cache));
  int length = reusable(prompt);
  if (length == 0) return sequence;
  for (size_t i = 0; i < sequence.cache.layers(); ++i) {
    sequence.cache.restore(i, state_of(i, length));
  }
  sequence.cache.plan(this->cache.planned());
  sequence.ids.assign(ids.begin(), ids.begin() + length);
  sequence.reproducible_ = reproducible_;
  // Now, before this sequence overwrites what is being copied.
  mx::eval(sequence.cache.arrays());
  if (!this->cache.can_trim(length)) sequence.checkpoint();
  return sequence;
}

uint64_t Sequence::bytes() const {
  uint64_t bytes = cache.bytes();
  for (const auto& checkpoint : checkpoints_) {
    for (const auto& state : checkpoint.layers) bytes += state ? bytes_of(*state) : 0;
  }
  return bytes;
}

void Sequence::clear() {
  cache.trim(0);
  checkpoints_.clear();
  ids.clear();
  reproducible_ = true;
}

void Sequence::begin(bool reproducible, bool needed) {
  if (needed && !reproducible_) clear();
  reproducible_ = reproducible_ && reproducible;
}

void Sequence::checkpoint() {
  if (cache.always_trimmable()) return;
  if (!checkpoints_.empty() && checkpoints_.back().length == cache.length()) return;
  checkpoints_.push_back(cache.checkpoint());
  // Keep the first: usually the end of the system prompt, from which every new conversation starts.
  // Of the others, the newest are the most useful.
  if (checkpoints_.size() > kCheckpoints) checkpoints_.erase(checkpoints_.begin() + 1);
}

}  // namespace llm_host
