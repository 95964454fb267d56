#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>

#include "engine/cache/sequence.h"

namespace llm_host {

// The KV caches of several conversations, one of which generates at a time, within a budget of
// bytes. With a budget of 0 there is a single sequence, and every prompt continues from it.
class SequencePool {
 public:
  // A prompt may discard this many tokens of another conversation; to keep more, it starts a copy.
  static constexpr int kSlack = 32;

  SequencePool(std::function<ModelCache()> new_cache, uint64_t budget);

  // The sequence to continue with `prompt`: the one with the longest common prefix, or a copy of
  // that prefix if rewinding would discard another conversation. Evicts the least recently used
  // ones. `needed`: as Sequence::begin.
  Sequence& choose(std::span<const int32_t> prompt, bool needed = false);
  // The most recently used one.
  Sequence& latest() { return sequences_.back(); }
  const Sequence& latest() const { return sequences_.back(); }
  size_t size() const { return sequences_.size(); }

 private:
  Sequence empty_sequence() const { return Sequence(new_cache_()); }
  void make_room();

  std::function<ModelCache()> new_cache_;
  uint64_t budget_;
  std::list<Sequence> sequences_;  // most recently used last; never empty
};

}  // namespace llm_host
