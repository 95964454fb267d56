#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>

#include "engine/sequence.h"

namespace llm_host {

// Sequences of several conversations, of which one generates at a time. Within a budget of bytes
// each keeps its cache; with no budget there is one sequence, which every prompt goes on from.
class SequencePool {
 public:
  // Tokens of another conversation that may be thrown away rather than copied around.
  static constexpr int kSlack = 32;

  SequencePool(std::function<ModelCache()> new_cache, uint64_t budget);

  // The sequence from which a prompt goes on: the one that shares the longest prefix with it. Where
  // going back there would throw away what belongs to another conversation, a sequence of its own
  // with a copy of what they share. The rows that were used longest ago make room.
  Sequence& choose(std::span<const int32_t> prompt);
  // The sequence that was used last.
  Sequence& latest() { return sequences_.back(); }
  const Sequence& latest() const { return sequences_.back(); }
  size_t size() const { return sequences_.size(); }

 private:
  Sequence empty_sequence() const { return Sequence(new_cache_()); }
  void make_room();

  std::function<ModelCache()> new_cache_;
  uint64_t budget_;
  std::list<Sequence> sequences_;  // the one used last at the end; never empty
};

}  // namespace llm_host
