#pragma once

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The last `count` positions of x [1, L, N] -> [1, count, N].
inline mx::array last_positions(const mx::array& x, int count) {
  int length = x.shape(1);
  if (count == length) return x;
  mx::Shape first{0, length - count, 0}, stop{1, length, x.shape(2)};
  return mx::contiguous(mx::slice(x, first, stop));
}

}  // namespace llm_host
