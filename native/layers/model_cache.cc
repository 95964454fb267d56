#include "layers/model_cache.h"

#include <algorithm>
#include <stdexcept>

#include "layers/kv_cache.h"

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
  if (s.window > 0 && s.window < options_.max_tokens) {
    layers_.push_back(std::make_unique<RotatingKvCache>(s.kv_heads, s.head_dim, s.window,
                                                        options_.max_tokens, s.dtype));
  } else {
    layers_.push_back(
        std::make_unique<KvCache>(s.kv_heads, s.head_dim, options_.max_tokens, s.dtype));
  }
}

void ModelCache::add_state() { layers_.push_back(std::make_unique<StateCache>()); }

AttentionCache& ModelCache::attention(size_t index) {
  return as<AttentionCache>(*layers_.at(index), "attention");
}

StateCache& ModelCache::state(size_t index) {
  return as<StateCache>(*layers_.at(index), "state");
}

bool ModelCache::can_trim(int length) const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [=](const auto& layer) { return layer->can_trim(length); });
}

void ModelCache::trim(int length) {
  for (auto& layer : layers_) layer->trim(length);
}

std::vector<mx::array> ModelCache::arrays() const {
  std::vector<mx::array> all;
  for (const auto& layer : layers_) {
    for (auto& [name, array] : layer->state().arrays) all.push_back(array);
  }
  return all;
}

}  // namespace llm_host
