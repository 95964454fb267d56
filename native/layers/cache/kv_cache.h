#pragma once

#include <vector>

#include "layers/cache/counted_cache.h"

namespace llm_host {

// Keeps all keys and values.
class KvCache : public CountedCache {
 public:
  KvCache(int kv_heads, int head_dim, int max_positions, mx::Dtype dtype);

  View append(const mx::array& keys, const mx::array& values) override;
  bool joined() const override { return joined_; }
  std::optional<View> append_joined(const mx::array& both) override;
  std::optional<Buffers> extend(int count) override;
  View newest(int count) const override;
  std::optional<Buffers> newest_buffers(int count) const override;

  void trim(int length) override;
  LayerState state_at(int length) const override;
  void restore(const LayerState& state) override;
  uint64_t bytes() const override;
  uint64_t bytes_after(int count) const override;

  // Slots in the buffers.
  int capacity() const { return buffers_.empty() ? 0 : buffers_[0].shape(2); }

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
  // Where keys or values are: a buffer, and the first of their heads in it.
  struct Place {
    size_t buffer;
    int head;
  };
  Place keys_place() const { return {0, 0}; }
  Place values_place() const { return joined_ ? Place{0, kv_heads_} : Place{1, 0}; }

  mx::Shape shape(int slots) const { return {1, kv_heads_, slots, head_dim_}; }
  mx::Shape buffer_shape(int slots) const {
    return {1, joined_ ? 2 * kv_heads_ : kv_heads_, slots, head_dim_};
  }
  // Slots [from, to) of the keys or the values.
  mx::array slots(Place place, int from, int to) const;
  // Into the slots from used() on.
  void write(Place place, const mx::array& rows);
  // Counts what was written -> what the newest `count` tokens see.
  View added(int count);

  int kv_heads_, head_dim_;
  mx::Dtype dtype_;
  bool joined_;
  std::vector<mx::array> buffers_;  // none; keys and values; or one of both, see joined()
};

// Keeps the last `window` tokens, for layers that see no more, in order: when the buffer is full,
// the visible ones and some before them move to its front. Its size is bounded by the window plus
// the most tokens added at once (at least a block).
class RotatingKvCache final : public KvCache {
 public:
  // The number of tokens, added one by one, that can always be taken back.
  static constexpr int kTakenBack = 16;

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
