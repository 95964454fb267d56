#pragma once

#include <span>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Llama 4's and Mistral's longer queries: · (1 + beta · ln(1 + ⌊position / length⌋)).
struct QueryGrowth {
  double beta = 0;
  double length = 1;

  // The last axis but one of `q` is that of the positions.
  mx::array apply(const mx::array& q, std::span<const int> positions) const;
};

// `count` positions from `first` on.
std::vector<int> positions_from(int first, int count);

}  // namespace llm_host
