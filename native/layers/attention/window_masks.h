#pragma once

#include <map>
#include <tuple>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The masks of a step: its layers share them.
class WindowMasks {
 public:
  // [length, total] booleans for the last `length` of `total` positions: a query sees the keys up
  // to its own position, `window` of them at most.
  const mx::array& get(int length, int total, int window) {
    auto [it, added] = masks_.try_emplace({length, total, window}, mx::array(true));
    if (added) it->second = make(length, total, window);
    return it->second;
  }

 private:
  static mx::array make(int length, int total, int window) {
    mx::array queries = mx::reshape(mx::arange(total - length, total), {length, 1});
    mx::array keys = mx::reshape(mx::arange(0, total), {1, total});
    return mx::logical_and(mx::less_equal(keys, queries),
                           mx::less(queries, mx::add(keys, mx::array(window))));
  }

  std::map<std::tuple<int, int, int>, mx::array> masks_;
};

}  // namespace llm_host
