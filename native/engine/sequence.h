#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layers/model_cache.h"

namespace llm_host {

// One sequence of a batch: its cache and exactly the tokens that are in it.
class Sequence {
 public:
  // Kept at most; a large model's states take tens of megabytes each.
  static constexpr size_t kCheckpoints = 4;

  explicit Sequence(ModelCache cache) : cache(std::move(cache)) {}

  // Goes back to a prefix that the sequence shares with `prompt`, short of the prompt's last token,
  // which must be computed for its logits: the longest one if every layer can be trimmed to it,
  // else that of the longest checkpoint, else nothing.
  // -> its length.
  int rewind(std::span<const int32_t> prompt);
  // The tokens that `rewind` would keep.
  int reusable(std::span<const int32_t> prompt) const;
  // A sequence of its own in `cache`, which is empty, that holds a copy of these.
  Sequence fork(ModelCache cache, std::span<const int32_t> prompt) const;
  // Of what the layers hold, checkpoints included.
  uint64_t bytes() const;
  // Forgets everything.
  void clear();
  // Remembers the present state, if it could not be had by trimming. Nothing may be pending.
  void checkpoint();

  ModelCache cache;
  std::vector<int32_t> ids;

 private:
  // The longest one within `length` tokens; null if there is none.
  const ModelCache::Checkpoint* checkpoint_within(int length) const;

  // In the order of their lengths, all of them prefixes of `ids`.
  std::vector<ModelCache::Checkpoint> checkpoints_;
};

}  // namespace llm_host
