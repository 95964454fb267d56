#pragma once

#include "kernels/ops.h"
#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

// x / sqrt(mean(x²) + eps) · weight, over the last dimension.
class RmsNorm {
 public:
  RmsNorm(WeightStore& weights, const std::string& path, int size, float eps)
      : weight_(weights.vector(path + ".weight", size)), eps_(eps) {}

  mx::array operator()(const mx::array& x) const {
    return cpu::usable() ? cpu::rms_norm(x, weight_, eps_) : mx::fast::rms_norm(x, weight_, eps_);
  }

 private:
  mx::array weight_;
  float eps_;
};

}  // namespace llm_host
