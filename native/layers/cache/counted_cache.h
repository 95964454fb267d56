#pragma once

#include "layers/cache/layer_cache.h"

namespace llm_host {

// A cache of `Kind` that holds up to `max_positions` tokens and can go back to any shorter length.
// Buffers grow in blocks, so a short chat takes little memory.
template <typename Kind>
class Counted : public Kind {
 public:
  static constexpr int kBlock = 256;

  int length() const override { return length_; }
  bool can_trim(int length) const override { return length >= 0 && length <= length_; }
  void trim(int length) override;
  bool always_trimmable() const override { return true; }

 protected:
  explicit Counted(int max_positions) : max_positions_(max_positions) {}

  // Throws std::length_error if `count` more tokens do not fit.
  void check_length(int count) const;
  // A capacity of whole blocks for `needed` slots. At least doubles, so that copying stays linear
  // in the tokens.
  static int grown(int needed, int capacity);

  int max_positions_;
  int length_ = 0;
};

using CountedCache = Counted<AttentionCache>;

}  // namespace llm_host
