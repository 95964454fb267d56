#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layers/cache/state_cache.h"
#include "weights/weight_store.h"

namespace llm_host {

// Channels [begin, end) of x [1, L, C].
mx::array channels_of(const mx::array& x, int begin, int end);

// Depthwise causal convolution over time, y_t = bias + Σ_k weight_k · x_(t − K + 1 + k) for each
// channel. The layer's state keeps the last K − 1 inputs as "conv".
class CausalConv {
 public:
  // Reads `path`.weight, [C, 1, K] as Hugging Face stores it or [C, K, 1] as MLX does, and
  // `path`.bias.
  CausalConv(WeightStore& weights, const std::string& path, int channels, int kernel, bool bias);

  // x [1, L, C] -> [1, L, C]
  mx::array operator()(const mx::array& x, StateCache& cache) const;

  // silu of the same. For a single token on a GPU one kernel, whose result is float32.
  mx::array activated(const mx::array& x, StateCache& cache) const;

  // Whether the output for so many tokens can be one of several elementwise operations that become
  // one kernel: then use weighted_sum, and `remember` its x.
  bool elementwise(int length) const;
  // The inputs of weighted_sum besides x.
  std::vector<mx::array> taps(const StateCache& cache, mx::Dtype dtype) const;
  // Adds the input of one token, x [1, 1, C], to the state.
  void remember(const mx::array& x, StateCache& cache) const;

 private:
  mx::array state(const StateCache& cache, mx::Dtype dtype) const;
  // The inputs before and x, [1, K − 1 + L, C]; the last ones become the state.
  mx::array extended(const mx::array& x, StateCache& cache) const;

  int channels_, kernel_;
  mx::array weight_;               // [K, C]
  mx::array filters_;              // [C, K, 1], for MLX's own operation
  std::vector<mx::array> rows_;    // K of [1, 1, C]
  std::optional<mx::array> bias_;  // [C]
};

// The convolution's output for one token, x [1, 1, C]: the sum in float32, rounded to x's type.
mx::array weighted_sum(const mx::array& x, std::span<const mx::array> taps);

}  // namespace llm_host
