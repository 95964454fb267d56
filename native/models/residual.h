#pragma once

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// h + part. Gemma's residual stream exceeds the range of float16: clipped, as in mlx-lm.
inline mx::array plus(const mx::array& h, const mx::array& part) {
  if (h.dtype() != mx::float16) return mx::add(h, part);
  mx::array sum = mx::add(mx::astype(h, mx::float32), mx::astype(part, mx::float32));
  return mx::astype(mx::clip(sum, mx::array(-65504.0f), mx::array(65504.0f)), mx::float16);
}

}  // namespace llm_host
