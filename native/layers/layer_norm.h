#pragma once

#include <string>

#include "kernels/encoder_ops.h"
#include "kernels/ops.h"
#include "weights/weight_store.h"

namespace llm_host {

// (x - mean) / √(variance + eps) · weight + bias, over the last dimension.
class LayerNorm {
 public:
  // Reads `path`.weight and .bias; older checkpoints call them gamma and beta.
  LayerNorm(WeightStore& weights, const std::string& path, int size, float eps)
      : weight_(weights.vector(path + (has_old_names(weights, path) ? ".gamma" : ".weight"), size)),
        bias_(weights.vector(path + (has_old_names(weights, path) ? ".beta" : ".bias"), size)),
        eps_(eps) {}

  mx::array operator()(const mx::array& x) const {
    return cpu::usable() ? cpu::layer_norm(x, weight_, bias_, eps_)
                         : mx::fast::layer_norm(x, weight_, bias_, eps_);
  }

 private:
  static bool has_old_names(const WeightStore& weights, const std::string& path) {
    return weights.has(path + ".gamma");
  }

  mx::array weight_, bias_;
  float eps_;
};

}  // namespace llm_host
