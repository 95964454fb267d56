#include "engine/cache/sequence.h"

#include <limits>

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

int Sequence::reusable(std::span<const int32_t> prompt, const Needs& needs) const {
  bool met = needs.adapted == adapted_ && (reproducible_ || !needs.reproducible);
  return met ? kept(prompt) : 0;
}

int Sequence::kept(std::span<const int32_t> prompt) const {
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
  int length = kept(prompt);
  if (length == 0) return sequence;
  for (size_t i = 0; i < sequence.cache.layers(); ++i) {
    sequence.cache.restore(i, state_of(i, length));
  }
  sequence.cache.plan(this->cache.planned());
  sequence.ids.assign(ids.begin(), ids.begin() + length);
  sequence.reproducible_ = reproducible_;
  sequence.adapted_ = adapted_;
  // Now, before this sequence overwrites what is being copied.
  mx::eval(sequence.cache.arrays());
  if (!this->cache.can_trim(length)) sequence.checkpoint();
  return sequence;
}

uint64_t Sequence::bytes() const { return cache.bytes() + checkpoint_bytes(); }

uint64_t Sequence::checkpoint_bytes() const {
  uint64_t bytes = 0;
  for (const auto& checkpoint : checkpoints_) {
    for (const auto& state : checkpoint.layers) bytes += state ? bytes_of(*state) : 0;
  }
  return bytes;
}

void Sequence::forget() {
  cache.trim(0);
  checkpoints_.clear();
  ids.clear();
}

void Sequence::clear() {
  forget();
  reproducible_ = true;
}

void Sequence::begin(bool reproducible, const Needs& needs) {
  if (needs.adapted != adapted_ || (needs.reproducible && !reproducible_)) clear();
  reproducible_ = reproducible_ && reproducible;
  adapted_ = needs.adapted;
}

void Sequence::checkpoint() {
  if (cache.always_trimmable()) return;
  if (!checkpoints_.empty() && checkpoints_.back().length == cache.length()) return;
  checkpoints_.push_back(cache.checkpoint());
  while (checkpoints_.size() > kMostCheckpoints ||
         (checkpoints_.size() > kFewestCheckpoints && checkpoint_bytes() > kCheckpointBytes)) {
    drop_checkpoint();
  }
}

// Never the first: usually the end of the system prompt, from which every new conversation starts.
// Nor the newest. A conversation is the likelier to branch off the nearer to its end, so what is
// left is dense there and sparse at its beginning.
void Sequence::drop_checkpoint() {
  size_t least = 1;
  double least_loss = std::numeric_limits<double>::infinity();
  double end = checkpoints_.back().length;
  for (size_t i = 1; i + 1 < checkpoints_.size(); ++i) {
    double here = checkpoints_[i].length;
    double read_again = here - checkpoints_[i - 1].length;
    double chance = (checkpoints_[i + 1].length - here) / (end - here);
    if (read_again * chance >= least_loss) continue;
    least = i;
    least_loss = read_again * chance;
  }
  checkpoints_.erase(checkpoints_.begin() + static_cast<std::ptrdiff_t>(least));
}

}  // namespace llm_host
