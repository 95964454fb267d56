#include "layers/cache/state_cache.h"

#include <stdexcept>

namespace llm_host {

std::optional<mx::array> StateCache::get(const std::string& name) const {
  auto it = arrays_.find(name);
  if (it == arrays_.end()) return std::nullopt;
  return it->second;
}

const LayerState* StateCache::remembered(int length) const {
  for (const LayerState& state : past_) {
    if (state.length == length) return &state;
  }
  return nullptr;
}

void StateCache::trim(int length) {
  if (!can_trim(length)) throw std::logic_error("a state cannot go back to an earlier token");
  if (length == length_) return;
  if (const LayerState* state = remembered(length)) {
    length_ = length;
    arrays_ = state->arrays;
    return;
  }
  length_ = 0;
  arrays_.clear();
}

void StateCache::restore(const LayerState& state) {
  if (state.length < 0 || (state.length > 0) == state.arrays.empty()) {
    throw std::invalid_argument("the state does not fit this layer");
  }
  length_ = state.length;
  arrays_ = state.arrays;
}

}  // namespace llm_host
