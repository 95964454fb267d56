#pragma once

#include "common/launch_groups.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// h + part within the range of float16, which Gemma's residual stream exceeds; as in mlx-lm.
inline mx::array clipped_sum(const mx::array& h, const mx::array& part) {
  if (h.dtype() != mx::float16) return mx::add(h, part);
  auto operations = [](const std::vector<mx::array>& in) -> std::vector<mx::array> {
    mx::array sum = mx::add(mx::astype(in[0], mx::float32), mx::astype(in[1], mx::float32));
    mx::array clipped = mx::clip(sum, mx::array(-65504.0f), mx::array(65504.0f));
    return {mx::astype(clipped, mx::float16)};
  };
  return fused("ClippedSum", operations, {h, part});
}

// h + factor · part, rounded after each; as in mlx-lm.
inline mx::array scaled_sum(const mx::array& h, const mx::array& part, float factor) {
  auto operations = [](const std::vector<mx::array>& in) -> std::vector<mx::array> {
    return {mx::add(in[0], mx::multiply(in[1], in[2]))};
  };
  return fused("ScaledSum", operations, {h, part, mx::array(factor, part.dtype())});
}

}  // namespace llm_host
