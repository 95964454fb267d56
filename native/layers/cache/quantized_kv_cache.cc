#include "layers/cache/quantized_kv_cache.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "layers/cache/slot_buffer.h"

namespace llm_host {
namespace {

constexpr const char* kParts[] = {"", ".scales", ".biases"};

}  // namespace

int QuantizedKvCache::group_size(int head_dim) {
  for (int size : {64, 32}) {
    if (head_dim % size == 0) return size;
  }
  return 0;
}

QuantizedKvCache::QuantizedKvCache(int kv_heads, int head_dim, int bits, int max_positions,
                                   mx::Dtype dtype)
    : CountedCache(max_positions),
      kv_heads_(kv_heads),
      head_dim_(head_dim),
      bits_(bits),
      group_(group_size(head_dim)),
      dtype_(dtype) {
  if (group_ == 0) throw std::invalid_argument("heads of this size cannot be quantized");
}

mx::Shape QuantizedKvCache::shape(size_t part, int slots) const {
  return {1, kv_heads_, slots, part == 0 ? head_dim_ * bits_ / 32 : head_dim_ / group_};
}

int QuantizedKvCache::capacity_after(const Store& store, int count) const {
  int needed = length_ + count;
  int capacity = store.parts ? (*store.parts)[0].shape(2) : 0;
  return needed <= capacity ? capacity : std::min(grown(needed, capacity), max_positions_);
}

void QuantizedKvCache::reserve(Store& store, int count) {
  int slots = capacity_after(store, count);
  if (store.parts && slots == (*store.parts)[0].shape(2)) return;
  auto larger = [&](size_t part) {
    std::optional<mx::array> kept;
    if (store.parts && length_ > 0) {
      kept = mx::slice((*store.parts)[part], {0, 0, 0, 0}, shape(part, length_));
    }
    return slot_buffer(kept, shape(part, slots), dtype(part));
  };
  store.parts = {larger(0), larger(1), larger(2)};
}

void QuantizedKvCache::update(Store& store, const mx::array& rows) {
  int count = rows.shape(2);
  reserve(store, count);
  std::vector<mx::array> added = mx::quantize(rows, group_, bits_);
  for (size_t part = 0; part < 3; ++part) {
    mx::array& buffer = (*store.parts)[part];
    mx::Shape start{0, 0, length_, 0};
    buffer = mx::slice_update(buffer, added[part], start, shape(part, length_ + count));
  }
}

std::array<mx::array, 3> QuantizedKvCache::all(const Store& store) const {
  auto slots = [&](size_t part) {
    return mx::slice((*store.parts)[part], {0, 0, 0, 0}, shape(part, length_));
  };
  return {slots(0), slots(1), slots(2)};
}

std::optional<AttentionCache::Quantized> QuantizedKvCache::append_quantized(
    const mx::array& keys, const mx::array& values) {
  int count = keys.shape(2);
  check_length(count);
  update(keys_, keys);
  update(values_, values);
  length_ += count;
  return newest_quantized();
}

AttentionCache::View QuantizedKvCache::append(const mx::array& keys, const mx::array& values) {
  append_quantized(keys, values);
  return newest(keys.shape(2));
}

std::optional<AttentionCache::Quantized> QuantizedKvCache::newest_quantized() const {
  return Quantized{all(keys_), all(values_), group_, bits_};
}

AttentionCache::View QuantizedKvCache::newest(int) const {
  auto floats = [&](const Store& store) {
    std::array<mx::array, 3> parts = all(store);
    return mx::astype(mx::dequantize(parts[0], parts[1], parts[2], group_, bits_), dtype_);
  };
  return {floats(keys_), floats(values_)};
}

LayerState QuantizedKvCache::state_at(int length) const {
  LayerState state;
  state.length = length;
  if (length == 0) return state;
  for (const Store* store : {&keys_, &values_}) {
    for (size_t part = 0; part < 3; ++part) {
      mx::array slots = mx::slice((*store->parts)[part], {0, 0, 0, 0}, shape(part, length));
      state.arrays.emplace(std::string(store->name) + kParts[part], slots);
    }
  }
  return state;
}

uint64_t QuantizedKvCache::bytes() const {
  uint64_t bytes = 0;
  for (const Store* store : {&keys_, &values_}) {
    if (!store->parts) continue;
    for (const mx::array& part : *store->parts) bytes += part.nbytes();
  }
  return bytes;
}

uint64_t QuantizedKvCache::bytes_after(int count) const {
  uint64_t columns = 0;
  for (size_t part = 0; part < 3; ++part) {
    columns += static_cast<uint64_t>(shape(part, 1).back()) * mx::size_of(dtype(part));
  }
  return 2 * static_cast<uint64_t>(capacity_after(keys_, count) * kv_heads_) * columns;
}

void QuantizedKvCache::restore(const LayerState& state) {
  if (state.length < 0 || state.length > max_positions_ ||
      state.arrays.size() != (state.length == 0 ? 0 : 6)) {
    throw std::invalid_argument("the keys and values do not fit this layer");
  }
  auto part_of = [&](const Store& store, size_t part) {
    auto it = state.arrays.find(std::string(store.name) + kParts[part]);
    if (it == state.arrays.end() || it->second.shape() != shape(part, state.length) ||
        it->second.dtype() != dtype(part)) {
      throw std::invalid_argument("the quantized keys and values do not fit this layer");
    }
    return it->second;
  };
  Store keys{"keys", std::nullopt}, values{"values", std::nullopt};
  if (state.length > 0) {
    for (Store* store : {&keys, &values}) {
      store->parts = {part_of(*store, 0), part_of(*store, 1), part_of(*store, 2)};
    }
  }
  keys_ = std::move(keys);
  values_ = std::move(values);
  length_ = state.length;
}

}  // namespace llm_host
