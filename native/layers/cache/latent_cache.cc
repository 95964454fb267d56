#include "layers/cache/latent_cache.h"

#include <algorithm>
#include <stdexcept>

#include "layers/cache/slot_buffer.h"

namespace llm_host {
namespace {

constexpr char kLatents[] = "latents";

}  // namespace

LatentCache::LatentCache(int rotary_dim, int rank, int max_positions, mx::Dtype dtype)
    : Counted(max_positions), columns_(rotary_dim + rank), dtype_(dtype) {}

int LatentCache::capacity_after(int count) const {
  int needed = length_ + count;
  if (needed <= capacity()) return capacity();
  return std::min(grown(needed, capacity()), max_positions_);
}

void LatentCache::reserve(int count) {
  check_length(count);
  int slots = capacity_after(count);
  if (slots == capacity()) return;
  std::optional<mx::array> kept;
  if (length_ > 0) kept = rows(length_);
  buffer_ = slot_buffer(kept, shape(slots), dtype_);
}

mx::array LatentCache::append(const mx::array& added) {
  int count = added.shape(2);
  reserve(count);
  mx::Shape start{0, 0, length_, 0};
  buffer_ = mx::slice_update(*buffer_, mx::astype(added, dtype_), start, shape(length_ + count));
  length_ += count;
  return rows(length_);
}

LatentCache::Buffer LatentCache::extend(int count) {
  reserve(count);
  Buffer buffer{*buffer_, length_};
  length_ += count;
  return buffer;
}

LayerState LatentCache::state_at(int length) const {
  LayerState state;
  state.length = length;
  if (length > 0) state.arrays.emplace(kLatents, rows(length));
  return state;
}

void LatentCache::restore(const LayerState& state) {
  auto it = state.arrays.find(kLatents);
  bool empty = state.length == 0 && state.arrays.empty();
  bool fits = state.length > 0 && state.length <= max_positions_ && state.arrays.size() == 1 &&
              it != state.arrays.end() && it->second.shape() == shape(state.length) &&
              it->second.dtype() == dtype_;
  if (!empty && !fits) throw std::invalid_argument("the latents do not fit this layer");
  length_ = 0;
  buffer_.reset();
  if (empty) return;
  // Copied, because kernels write in place.
  append(it->second);
}

uint64_t LatentCache::bytes_after(int count) const {
  return static_cast<uint64_t>(capacity_after(count)) * static_cast<uint64_t>(columns_) *
         mx::size_of(dtype_);
}

}  // namespace llm_host
