#include "layers/cache/kv_cache.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/device_policy.h"
#include "layers/cache/slot_buffer.h"

namespace llm_host {

KvCache::KvCache(int kv_heads, int head_dim, int max_positions, mx::Dtype dtype)
    : CountedCache(max_positions),
      kv_heads_(kv_heads),
      head_dim_(head_dim),
      dtype_(dtype),
      joined_(DevicePolicy::get().joins_keys_and_values()) {}

mx::array KvCache::slots(Place place, int from, int to) const {
  return mx::slice(buffers_[place.buffer], {0, place.head, from, 0},
                   {1, place.head + kv_heads_, to, head_dim_});
}

void KvCache::write(Place place, const mx::array& rows) {
  mx::array& buffer = buffers_[place.buffer];
  mx::Shape start{0, place.head, used(), 0};
  mx::Shape stop{1, place.head + rows.shape(1), used() + rows.shape(2), head_dim_};
  buffer = mx::slice_update(buffer, rows, start, stop);
}

void KvCache::rebuild(int from, int added) {
  std::vector<mx::array> before = std::exchange(buffers_, {});
  int kept = before.empty() ? 0 : std::max(0, used() - from);
  for (size_t i = 0; i < (joined_ ? 1 : 2); ++i) {
    std::optional<mx::array> rows;
    if (kept > 0) rows = mx::slice(before[i], {0, 0, from, 0}, buffer_shape(used()));
    buffers_.push_back(slot_buffer(rows, buffer_shape(kept + added), dtype_));
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

uint64_t KvCache::bytes() const {
  uint64_t bytes = 0;
  for (const mx::array& buffer : buffers_) bytes += buffer.nbytes();
  return bytes;
}

AttentionCache::View KvCache::added(int count) {
  length_ += count;
  return newest(count);
}

AttentionCache::View KvCache::newest(int count) const {
  int first = first_visible(count);
  return {slots(keys_place(), first, used()), slots(values_place(), first, used())};
}

AttentionCache::View KvCache::append(const mx::array& keys, const mx::array& values) {
  int count = keys.shape(2);
  check_length(count);
  reserve(count);
  write(keys_place(), keys);
  write(values_place(), values);
  return added(count);
}

std::optional<AttentionCache::View> KvCache::append_joined(const mx::array& both) {
  if (!joined_) return std::nullopt;
  int count = both.shape(2);
  check_length(count);
  reserve(count);
  write(keys_place(), both);
  return added(count);
}

std::optional<AttentionCache::Buffers> KvCache::extend(int count) {
  if (joined_) return std::nullopt;
  check_length(count);
  reserve(count);
  Buffers buffers{buffers_[0], buffers_[1], used(), length_};
  length_ += count;
  return buffers;
}

std::optional<AttentionCache::Buffers> KvCache::newest_buffers(int count) const {
  if (joined_) return std::nullopt;
  return Buffers{buffers_[0], buffers_[1], used() - count, length_ - count};
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
    state.arrays.emplace("keys", slots(keys_place(), from, to));
    state.arrays.emplace("values", slots(values_place(), from, to));
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
  int kept = empty || !fits ? 0 : keys->second.shape(2);
  if (!fits || !holds_enough(kept, state.length)) {
    throw std::invalid_argument("the keys and values do not fit this layer");
  }
  length_ = state.length;
  first_ = length_ - kept;
  buffers_.clear();
  if (kept == 0) return;
  if (joined_) {
    buffers_ = {mx::concatenate({keys->second, values->second}, 1)};
  } else {
    buffers_ = {keys->second, values->second};
  }
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
    int spare = std::min(kTakenBack, std::max(count, kBlock) - count);
    int kept = std::min(used(), window_ - 1 + spare);
    rebuild(used() - kept, std::min(limit - kept, max_positions_ - (length_ - kept)));
  }
}

}  // namespace llm_host
