#include "layers/cache/kv_cache.h"

#include <algorithm>
#include <stdexcept>

namespace llm_host {

KvCache::KvCache(int kv_heads, int head_dim, int max_positions, mx::Dtype dtype)
    : CountedCache(max_positions), kv_heads_(kv_heads), head_dim_(head_dim), dtype_(dtype) {}

void KvCache::rebuild(int from, int added) {
  // Two separate buffers: kernels write into them in place.
  for (std::optional<mx::array>* buffer : {&keys_, &values_}) {
    mx::array room = mx::zeros(shape(added), dtype_);
    if (*buffer && used() > from) {
      mx::array kept = mx::slice(**buffer, {0, 0, from, 0}, shape(used()));
      *buffer = mx::concatenate({kept, room}, 2);
    } else {
      *buffer = room;
    }
  }
  first_ += from;
}

int KvCache::capacity_after(int count) const {
  int needed = used() + count;
  if (needed <= capacity()) return capacity();
  return std::min(grown(needed, capacity()), max_positions_);
}

void KvCache::reserve(int count) {
  int slots = capacity_after(count);
  if (slots > capacity()) rebuild(0, slots - used());
}

uint64_t KvCache::bytes_after(int count) const {
  auto slots = static_cast<uint64_t>(capacity_after(count));
  return 2 * slots * static_cast<uint64_t>(kv_heads_ * head_dim_) * mx::size_of(dtype_);
}

AttentionCache::View KvCache::append(const mx::array& keys, const mx::array& values) {
  int count = keys.shape(2);
  check_length(count);
  reserve(count);
  mx::Shape start{0, 0, used(), 0}, stop = shape(used() + count);
  keys_ = mx::slice_update(*keys_, keys, start, stop);
  values_ = mx::slice_update(*values_, values, start, stop);
  length_ += count;
  mx::Shape first{0, 0, first_visible(count), 0};
  return {mx::slice(*keys_, first, stop), mx::slice(*values_, first, stop)};
}

std::optional<AttentionCache::Buffers> KvCache::extend(int count) {
  check_length(count);
  reserve(count);
  Buffers buffers{*keys_, *values_, used(), length_};
  length_ += count;
  return buffers;
}

void KvCache::trim(int length) {
  CountedCache::trim(length);
  if (length == 0) first_ = 0;
}

LayerState KvCache::state_at(int length) const {
  LayerState state;
  state.length = length;
  int from = first_visible(length_ - length), to = length - first_;
  if (to > from) {
    mx::Shape start{0, 0, from, 0}, stop = shape(to);
    state.arrays.emplace("keys", mx::slice(*keys_, start, stop));
    state.arrays.emplace("values", mx::slice(*values_, start, stop));
  }
  return state;
}

void KvCache::restore(const LayerState& state) {
  auto keys = state.arrays.find("keys"), values = state.arrays.find("values");
  bool empty = state.arrays.empty();
  bool fits = state.length >= 0 && state.length <= max_positions_;
  if (!empty && fits) {
    fits = state.arrays.size() == 2 && keys != state.arrays.end() && values != state.arrays.end() &&
           keys->second.ndim() == 4 && keys->second.shape(2) <= state.length &&
           keys->second.shape() == shape(keys->second.shape(2)) &&
           values->second.shape() == keys->second.shape() && keys->second.dtype() == dtype_ &&
           values->second.dtype() == dtype_;
  }
  int slots = empty || !fits ? 0 : keys->second.shape(2);
  if (!fits || !holds_enough(slots, state.length)) {
    throw std::invalid_argument("the keys and values do not fit this layer");
  }
  length_ = state.length;
  first_ = length_ - slots;
  keys_.reset();
  values_.reset();
  if (slots == 0) return;
  keys_ = keys->second;
  values_ = values->second;
  // Copied, because kernels write in place.
  rebuild(0, std::clamp(max_positions_ - length_, 1, kBlock));
}

RotatingKvCache::RotatingKvCache(int kv_heads, int head_dim, int window, int max_positions,
                                 mx::Dtype dtype)
    : KvCache(kv_heads, head_dim, max_positions, dtype), window_(window) {
  if (window < 1) throw std::invalid_argument("a window holds at least one token");
}

bool RotatingKvCache::holds_enough(int slots, int length) const {
  return slots >= std::min(length, window_ - 1);
}

bool RotatingKvCache::can_trim(int length) const {
  return length == 0 || (KvCache::can_trim(length) && holds_enough(length - first_, length));
}

int RotatingKvCache::first_visible(int count) const {
  return std::max(0, used() - count - (window_ - 1));
}

int RotatingKvCache::capacity_after(int count) const {
  if (used() + count <= capacity()) return capacity();
  // However many tokens there are in all, no chunk of them is larger than two blocks.
  int limit = window_ - 1 + std::clamp(count, kBlock, 2 * kBlock);
  return std::min(std::max(limit, capacity()), max_positions_);
}

void RotatingKvCache::reserve(int count) {
  if (used() + count <= capacity()) return;
  int limit = window_ - 1 + std::max(count, kBlock);
  if (used() + count <= limit) {
    int slots = grown(used() + count, capacity());
    rebuild(0, std::min({slots, limit, max_positions_ - first_}) - used());
  } else {
    int kept = std::min(used(), window_ - 1);
    rebuild(used() - kept, std::min(limit - kept, max_positions_ - (length_ - kept)));
  }
}

}  // namespace llm_host
