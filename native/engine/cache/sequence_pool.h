#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>

#include "engine/cache/sequence.h"

namespace llm_host {

// The KV caches of several conversations, some of which are generating, within a budget of bytes.
// With a budget of 0, those that generate take what they need, and one more is kept: that used
// last.
class SequencePool {
 public:
  // A prompt may discard this many tokens of another conversation; to keep more, it starts a copy.
  static constexpr int kSlack = 32;

 private:
  struct Row {
    Sequence sequence;
    bool in_use = false;
    uint64_t reserved = 0;  // bytes that it may come to while in use

    uint64_t bytes() const { return std::max(sequence.bytes(), reserved); }
  };

 public:
  // The use of a sequence by one generation, until it is destroyed.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Sequence& sequence() const { return row_->sequence; }
    // Reserves room for so many more tokens, for which others are evicted that are not in use;
    // `anyway`: also where that is not enough. -> whether it may grow
    bool grow(int tokens, bool anyway);
    // Forgets the sequence at the end: after a failed step its contents are unknown.
    void discard() { broken_ = true; }

   private:
    friend class SequencePool;
    Lease(SequencePool& pool, std::list<Row>::iterator row) : pool_(&pool), row_(row) {}

    SequencePool* pool_;
    std::list<Row>::iterator row_;
    bool broken_ = false;
  };

  SequencePool(std::function<ModelCache()> new_cache, uint64_t budget);

  // The sequence to continue with `prompt`: the one with the longest common prefix, or a copy of
  // that prefix if the sequence is in use or rewinding would discard another conversation. Evicts
  // the least recently used ones until `tokens` positions fit; if they never do, gives nothing as
  // long as others are in use.
  std::optional<Lease> take(std::span<const int32_t> prompt, int tokens, const Needs& needs = {});
  // How many tokens of a prompt any of them has.
  int reusable(std::span<const int32_t> prompt, const Needs& needs) const;
  // One that can go back to exactly these tokens; null: none can.
  const Sequence* holder(std::span<const int32_t> ids, const Needs& needs) const;
  // Adds one that was made elsewhere. Evicts others for it that are not in use. -> false: there is
  // no room for it
  bool put(Sequence sequence);
  // Whether that many bytes could ever fit.
  bool could_hold(uint64_t bytes) const { return budget_ == 0 || bytes <= budget_; }

  // The one used last, while none is in use.
  Sequence& latest();
  size_t size() const { return rows_.size(); }
  // Bytes of all sequences, counting what those in use may grow to.
  uint64_t bytes() const;

 private:
  using Rows = std::list<Row>;
  // Where a prompt continues from, and how.
  struct Source {
    Rows::iterator row;
    int length;  // tokens in common
    bool in_place;
  };

  Rows::iterator add(Sequence sequence);
  Source source_of(std::span<const int32_t> prompt, const Needs& needs);
  // Whether `more` bytes would fit beside those in use and `kept`: what is evicted for something
  // that has to wait anyway would be read again for nothing.
  bool could_make_room(uint64_t more, Rows::iterator kept);
  // Evicts rows that are not in use, but for `kept`, until `more` bytes fit, or all of them.
  void make_room(uint64_t more, Rows::iterator kept);
  bool any_in_use() const;
  bool grow(Row& row, int tokens, bool anyway);
  void release(Rows::iterator row, bool broken);

  std::function<ModelCache()> new_cache_;
  uint64_t budget_;
  Rows rows_;  // most recently used last
};

}  // namespace llm_host
