#include "layers/cache/model_cache.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/error.h"
#include "layers/cache/kv_cache.h"
#include "layers/cache/quantized_kv_cache.h"

namespace llm_host {
namespace {

template <typename T>
T& as(LayerCache& layer, const char* kind) {
  auto* cache = dynamic_cast<T*>(&layer);
  if (cache == nullptr) throw std::logic_error(std::string("the layer has no ") + kind + " cache");
  return *cache;
}

}  // namespace

void ModelCache::add_attention(const AttentionCacheShape& s) {
  if (s.window > 0 && s.window < options_.max_positions) {
    layers_.push_back(std::make_unique<RotatingKvCache>(s.kv_heads, s.head_dim, s.window,
                                                        options_.max_positions, s.dtype));
  } else if (options_.kv_bits != 0) {
    if (QuantizedKvCache::group_size(s.head_dim) == 0) {
      throw Error(kUsage, "kvBits: heads of " + std::to_string(s.head_dim) +
                              " values cannot be quantized; that takes a multiple of 32");
    }
    layers_.push_back(std::make_unique<QuantizedKvCache>(s.kv_heads, s.head_dim, options_.kv_bits,
                                                         options_.max_positions, s.dtype));
  } else {
    layers_.push_back(
        std::make_unique<KvCache>(s.kv_heads, s.head_dim, options_.max_positions, s.dtype));
  }
}

void ModelCache::add_latent(const LatentCacheShape& s) {
  if (options_.kv_bits != 0) {
    throw Error(kUsage,
                "kvBits: this model keeps a latent instead of keys and values, which is small "
                "already and cannot be quantized; leave kvBits out");
  }
  layers_.push_back(
      std::make_unique<LatentCache>(s.rotary_dim, s.rank, options_.max_positions, s.dtype));
}

void ModelCache::add_state() { layers_.push_back(std::make_unique<StateCache>()); }

AttentionCache& ModelCache::attention(size_t index) {
  return as<AttentionCache>(*layers_.at(index), "attention");
}

LatentCache& ModelCache::latent(size_t index) {
  return as<LatentCache>(*layers_.at(index), "latent");
}

StateCache& ModelCache::state(size_t index) { return as<StateCache>(*layers_.at(index), "state"); }

bool ModelCache::is_state(size_t index) const {
  return dynamic_cast<StateCache*>(layers_.at(index).get()) != nullptr;
}

bool ModelCache::can_trim(int length) const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [=](const auto& layer) { return layer->can_trim(length); });
}

void ModelCache::trim(int length) {
  for (auto& layer : layers_) layer->trim(length);
}

void ModelCache::remember() {
  for (auto& layer : layers_) {
    if (auto* state = dynamic_cast<StateCache*>(layer.get())) state->remember(true);
  }
}

void ModelCache::keep(int length) {
  trim(length);
  for (auto& layer : layers_) {
    if (auto* state = dynamic_cast<StateCache*>(layer.get())) state->remember(false);
  }
}

uint64_t ModelCache::state_bytes() const {
  uint64_t bytes = 0;
  for (const auto& layer : layers_) {
    if (dynamic_cast<const StateCache*>(layer.get()) != nullptr) bytes += layer->bytes();
  }
  return bytes;
}

bool ModelCache::always_trimmable() const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [](const auto& layer) { return layer->always_trimmable(); });
}

ModelCache::Checkpoint ModelCache::checkpoint() const {
  Checkpoint checkpoint;
  checkpoint.length = length();
  std::vector<mx::array> arrays;
  for (const auto& layer : layers_) {
    std::optional<LayerState> state;
    if (!layer->always_trimmable()) {
      state = layer->state();
      for (auto& [name, array] : state->arrays) arrays.push_back(array);
    }
    checkpoint.layers.push_back(std::move(state));
  }
  // Now, before anyone writes into the buffers that the states are slices of.
  mx::eval(arrays);
  return checkpoint;
}

void ModelCache::restore(const Checkpoint& checkpoint) {
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (checkpoint.layers.at(i)) {
      layers_[i]->restore(*checkpoint.layers[i]);
    } else {
      layers_[i]->trim(checkpoint.length);
    }
  }
}

uint64_t ModelCache::bytes() const {
  uint64_t bytes = 0;
  for (const auto& layer : layers_) bytes += layer->bytes();
  return bytes;
}

uint64_t ModelCache::bytes_after(int count) const {
  uint64_t bytes = 0;
  for (const auto& layer : layers_) bytes += layer->bytes_after(count);
  return bytes;
}

std::vector<mx::array> ModelCache::arrays() const {
  std::vector<mx::array> all;
  for (const auto& layer : layers_) {
    for (auto& [name, array] : layer->state().arrays) all.push_back(array);
  }
  return all;
}

}  // namespace llm_host
