#pragma once

#include "layers/cache/counted_cache.h"

namespace llm_host {

// Keeps all keys and values.
class KvCache : public CountedCache {
 public:
  KvCache(int kv_heads, int head_dim, int max_positions, mx::Dtype dtype);

  View append(const mx::array& keys, const mx::array& values) override;
  std::optional<Buffers> extend(int count) override;

  void trim(int length) override;
  LayerState state_at(int length) const override;
  void restore(const LayerState& state) override;
  uint64_t bytes() const override { return keys_ ? keys_->nbytes() + values_->nbytes() : 0; }
  uint64_t bytes_after(int count) const override;

  // Slots in the buffers.
  int capacity() const { return keys_ ? keys_->shape(2) : 0; }

 protected:
  // Makes room for `count` more tokens; may drop the oldest.
  virtual void reserve(int count);
  // Slots in the buffers after that, at most.
  virtual int capacity_after(int count) const;
  // The first slot that any of the newest `count` tokens can see.
  virtual int first_visible(int count) const { return 0; }
  // Whether the newest `slots` of `length` tokens include all that the next token can see.
  virtual bool holds_enough(int slots, int length) const { return slots == length; }
  // New buffers with slots [from, used) and room for `added` more.
  void rebuild(int from, int added);
  int used() const { return length_ - first_; }

  int first_ = 0;  // position of slot 0

 private:
  mx::Shape shape(int slots) const { return {1, kv_heads_, slots, head_dim_}; }

  int kv_heads_, head_dim_;
  mx::Dtype dtype_;
  std::optional<mx::array> keys_, values_;
};

// Keeps the last `window` tokens, for layers that see no more, in order: when the buffer is full,
// the visible ones move to its front. Its size is bounded by the window plus the most tokens added
// at once (at least a block).
class RotatingKvCache final : public KvCache {
 public:
  // `window`: tokens that a token sees, itself included; at least 1.
  RotatingKvCache(int kv_heads, int head_dim, int window, int max_positions, mx::Dtype dtype);

  bool can_trim(int length) const override;
  bool always_trimmable() const override { return false; }

 private:
  void reserve(int count) override;
  int capacity_after(int count) const override;
  int first_visible(int count) const override;
  bool holds_enough(int slots, int length) const override;

  int window_;
};

}  // namespace llm_host
