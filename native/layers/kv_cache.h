#pragma once

#include "layers/counted_cache.h"

namespace llm_host {

// All keys and values.
class KvCache : public CountedCache {
 public:
  KvCache(int kv_heads, int head_dim, int max_positions, mx::Dtype dtype);

  View append(const mx::array& keys, const mx::array& values) override;
  std::optional<Buffers> extend(int count) override;

  void trim(int length) override;
  LayerState state_at(int length) const override;
  void restore(const LayerState& state) override;
  uint64_t bytes() const override { return keys_ ? keys_->nbytes() + values_->nbytes() : 0; }

  // Slots in the buffers.
  int capacity() const { return keys_ ? keys_->shape(2) : 0; }

 protected:
  // Makes room for `count` more tokens behind those in use, of which the first may be dropped.
  virtual void reserve(int count);
  // The first slot that the newest of `count` tokens added last can see.
  virtual int first_visible(int count) const { return 0; }
  // Whether the newest `slots` of `length` tokens are all that the layer can still see.
  virtual bool holds_enough(int slots, int length) const { return slots == length; }
  // Buffers that hold slots [from, used) and have room for `added` more.
  void rebuild(int from, int added);
  int used() const { return length_ - first_; }

  int first_ = 0;  // position of slot 0

 private:
  mx::Shape shape(int slots) const { return {1, kv_heads_, slots, head_dim_}; }

  int kv_heads_, head_dim_;
  mx::Dtype dtype_;
  std::optional<mx::array> keys_, values_;
};

// The keys and values of the last `window` tokens, for layers that see no more. They stay in order:
// when the buffer is full, those still seen move to its front, so that its size is bounded by the
// window and the largest number of tokens added at once (or a block, if that is more).
class RotatingKvCache final : public KvCache {
 public:
  // `window`: tokens that a token sees, itself included; at least 1.
  RotatingKvCache(int kv_heads, int head_dim, int window, int max_positions, mx::Dtype dtype);

  bool can_trim(int length) const override;
  bool always_trimmable() const override { return false; }

 private:
  void reserve(int count) override;
  int first_visible(int count) const override;
  bool holds_enough(int slots, int length) const override;

  int window_;
};

}  // namespace llm_host
