#pragma once

#include "layers/layer_cache.h"

namespace llm_host {

// An attention cache that counts its tokens up to `max_positions`, can go back to any shorter
// length, and grows its buffers by blocks, so that short chats stay small.
class CountedCache : public AttentionCache {
 public:
  static constexpr int kBlock = 256;

  int length() const override { return length_; }
  bool can_trim(int length) const override { return length >= 0 && length <= length_; }
  void trim(int length) override;
  bool always_trimmable() const override { return true; }

 protected:
  explicit CountedCache(int max_positions) : max_positions_(max_positions) {}

  // Throws std::length_error if `count` more tokens are too many.
  void check_length(int count) const;
  // Whole blocks for `needed` slots; doubling keeps the copies to a constant factor of the tokens.
  static int grown(int needed, int capacity);

  int max_positions_;
  int length_ = 0;
};

}  // namespace llm_host
