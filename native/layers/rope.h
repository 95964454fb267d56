#pragma once

#include <optional>
#include <vector>

#include "engine/value.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Rotary position embedding, half-split form (Hugging Face's rotate_half).
class Rope {
 public:
  // Reads rope_theta, rope_scaling and rope_parameters; scaling types default, linear and llama3.
  Rope(const Config& config, int dims, double default_theta);

  // x [1, heads, L, head_dim], the first position being `offset`.
  mx::array operator()(const mx::array& x, int offset) const;
  // Radians per position of each channel pair: [dims / 2].
  const std::vector<float>& frequencies() const { return frequencies_; }

 private:
  int dims_;
  float theta_;
  float scale_ = 1;                 // of the positions
  std::optional<mx::array> freqs_;  // [dims / 2] wavelengths / 2π, instead of theta_
  std::vector<float> frequencies_;
};

}  // namespace llm_host
