#include "layers/kv_cache.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace llm_host {

KvCache::KvCache(int kv_heads, int head_dim, int max_tokens, mx::Dtype dtype)
    : kv_heads_(kv_heads), head_dim_(head_dim), max_tokens_(max_tokens), dtype_(dtype) {}

void KvCache::reserve(int count) {
  int needed = length_ + count;
  if (needed > max_tokens_) {
    throw std::length_error("the KV cache holds " + std::to_string(max_tokens_) +
                            " tokens, asked for " + std::to_string(needed));
  }
  if (needed <= capacity()) return;
  // Doubling keeps the copies to a constant factor of the tokens.
  int blocks = (std::max(needed, 2 * capacity()) + kBlock - 1) / kBlock;
  int capacity_now = capacity();
  int added = std::min(blocks * kBlock, max_tokens_) - capacity_now;
  // Each gets a buffer of its own: kernels write into them in place.
  for (std::optional<mx::array>* buffer : {&keys_, &values_}) {
    mx::array room = mx::zeros(mx::Shape{1, kv_heads_, added, head_dim_}, dtype_);
    *buffer = *buffer ? mx::concatenate({**buffer, room}, 2) : room;
  }
}

std::pair<mx::array, mx::array> KvCache::append(const mx::array& keys, const mx::array& values) {
  int count = keys.shape(2);
  reserve(count);
  mx::Shape start{0, 0, length_, 0};
  mx::Shape stop{1, kv_heads_, length_ + count, head_dim_};
  keys_ = mx::slice_update(*keys_, keys, start, stop);
  values_ = mx::slice_update(*values_, values, start, stop);
  length_ += count;
  mx::Shape zero{0, 0, 0, 0};
  return {mx::slice(*keys_, zero, stop), mx::slice(*values_, zero, stop)};
}

std::pair<mx::array, mx::array> KvCache::extend(int count) {
  reserve(count);
  length_ += count;
  return {*keys_, *values_};
}

void KvCache::trim(int length) { length_ = std::clamp(length, 0, length_); }

void ModelCache::trim(int length) {
  for (KvCache& layer : layers_) layer.trim(length);
}

}  // namespace llm_host
