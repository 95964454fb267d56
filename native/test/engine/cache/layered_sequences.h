#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "engine/cache/sequence.h"

// Sequences whose layers hold the ids they were given, so that a test can check their contents.
namespace llm_host::layered {

using Ids = std::vector<int32_t>;

enum Layers { kFull, kWindow, kState };

inline ModelCache new_cache(const std::vector<Layers>& layers) {
  ModelCache cache({.max_positions = 100000});
  for (Layers layer : layers) {
    if (layer == kState) {
      cache.add_state();
    } else {
      cache.add_attention({1, 2, layer == kWindow ? 4 : 0, mx::float32});
    }
  }
  return cache;
}

// Adds `ids` as a model would. What each layer holds then: the ids as keys, their sum as the state.
inline void read(Sequence& sequence, const std::vector<Layers>& layers, const Ids& ids) {
  if (ids.empty()) return;
  for (size_t i = 0; i < layers.size(); ++i) {
    mx::array column = mx::reshape(mx::array(ids.begin(), {static_cast<int>(ids.size())}),
                                   {1, 1, static_cast<int>(ids.size()), 1});
    mx::array rows =
        mx::broadcast_to(mx::astype(column, mx::float32), {1, 1, static_cast<int>(ids.size()), 2});
    if (layers[i] == kState) {
      StateCache& state = sequence.cache.state(i);
      mx::array sum = mx::sum(column);
      state.set("sum", state.get("sum") ? mx::add(*state.get("sum"), sum) : sum);
      state.advance(static_cast<int>(ids.size()));
    } else {
      sequence.cache.attention(i).append(rows, rows);
    }
  }
  sequence.ids.insert(sequence.ids.end(), ids.begin(), ids.end());
}

inline Ids counted(int from, int count) {
  Ids ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), from);
  return ids;
}

inline Ids joined(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Whether the layers hold the same as after reading the sequence's ids from the start.
inline bool consistent(Sequence& sequence, const std::vector<Layers>& layers) {
  Sequence fresh(new_cache(layers));
  read(fresh, layers, sequence.ids);
  for (size_t i = 0; i < layers.size(); ++i) {
    LayerState got = sequence.cache.state_of(i), wanted = fresh.cache.state_of(i);
    if (got.length != wanted.length || got.arrays.size() != wanted.arrays.size()) return false;
    for (auto& [name, array] : wanted.arrays) {
      if (!mx::array_equal(got.arrays.at(name), array).item<bool>()) return false;
    }
  }
  return true;
}

}  // namespace llm_host::layered
