#pragma once

#include <optional>
#include <string>

#include "layers/cache/state_cache.h"
#include "weights/weight_store.h"

namespace llm_host {

// Depthwise causal convolution over time, y_t = bias + Σ_k weight_k · x_(t − K + 1 + k) for each
// channel. The layer's state keeps the last K − 1 inputs as "conv".
class CausalConv {
 public:
  // Reads `path`.weight, [C, 1, K] as Hugging Face stores it or [C, K, 1] as MLX does, and
  // `path`.bias.
  CausalConv(WeightStore& weights, const std::string& path, int channels, int kernel, bool bias);

  // x [1, L, C] -> [1, L, C]
  mx::array operator()(const mx::array& x, StateCache& cache) const;

 private:
  int channels_, kernel_;
  mx::array weight_;  // [K, C]
  std::optional<mx::array> bias_;
};

}  // namespace llm_host
