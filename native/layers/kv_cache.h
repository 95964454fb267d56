#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Keys and values of one attention layer and one row: [1, kv_heads, capacity, head_dim], of which
// the first `length` positions are valid. Grows by blocks up to `max_tokens`, so that short chats
// stay small.
class KvCache {
 public:
  static constexpr int kBlock = 256;

  KvCache(int kv_heads, int head_dim, int max_tokens, mx::Dtype dtype);

  // keys, values [1, kv_heads, L, head_dim] -> all valid ones, [1, kv_heads, length, head_dim].
  std::pair<mx::array, mx::array> append(const mx::array& keys, const mx::array& values);
  // Makes room for `count` more positions, which the caller writes in place, and counts them as
  // valid.
  // -> the buffers [1, kv_heads, capacity, head_dim]. Throws if there cannot be room.
  std::pair<mx::array, mx::array> extend(int count);
  // Forgets all but the first `length` positions.
  void trim(int length);

  int length() const { return length_; }
  int capacity() const { return keys_ ? keys_->shape(2) : 0; }

 private:
  void reserve(int count);

  int kv_heads_, head_dim_, max_tokens_;
  mx::Dtype dtype_;
  std::optional<mx::array> keys_, values_;
  int length_ = 0;
};

// The cache of every layer for one row.
class ModelCache {
 public:
  explicit ModelCache(std::vector<KvCache> layers) : layers_(std::move(layers)) {}

  KvCache& layer(size_t index) { return layers_[index]; }
  int length() const { return layers_.empty() ? 0 : layers_.front().length(); }
  void trim(int length);

 private:
  std::vector<KvCache> layers_;
};

}  // namespace llm_host
