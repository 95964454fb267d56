#include "layers/cache/counted_cache.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace llm_host {

template <typename Kind>
void Counted<Kind>::trim(int length) {
  if (!can_trim(length)) {
    throw std::logic_error("a cache of " + std::to_string(length_) + " tokens cannot go back to " +
                           std::to_string(length));
  }
  length_ = length;
}

template <typename Kind>
void Counted<Kind>::check_length(int count) const {
  if (length_ + count <= max_positions_) return;
  throw std::length_error("the KV cache holds " + std::to_string(max_positions_) +
                          " tokens, asked for " + std::to_string(length_ + count));
}

template <typename Kind>
int Counted<Kind>::grown(int needed, int capacity) {
  return (std::max(needed, 2 * capacity) + kBlock - 1) / kBlock * kBlock;
}

template class Counted<AttentionCache>;
template class Counted<LayerCache>;

}  // namespace llm_host
