#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Where the heads of a token's queries, keys and values are rotated to, for one rotation of all of
// them: the layers of a step share these arrays.
class HeadPositions {
 public:
  // [rotated + others]: `position`, and 0 for the others, which rotates nothing.
  const mx::array& get(int position, int rotated, int others) {
    auto [it, added] = arrays_.try_emplace({position, rotated, others}, mx::array(0));
    if (added) {
      std::vector<int32_t> each(static_cast<size_t>(rotated), position);
      each.resize(static_cast<size_t>(rotated + others), 0);
      it->second = mx::array(each.begin(), mx::Shape{rotated + others}, mx::int32);
    }
    return it->second;
  }

 private:
  std::map<std::tuple<int, int, int>, mx::array> arrays_;
};

}  // namespace llm_host
