#pragma once

#include <optional>

#include "layers/linear.h"

namespace llm_host {

enum class Activation { kSilu, kGeluTanh };

// From config.json's hidden_act. Throws MODEL_UNSUPPORTED and lists the supported names.
Activation activation_of(const std::string& name);

// gelu(x) = x · (1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2 by MLX's operations, rounded after the
// same steps as in mlx-lm.
mx::array gelu_tanh(const mx::array& x);

// activation(gate) · up, elementwise.
mx::array gated(Activation activation, const mx::array& gate, const mx::array& up);

struct MlpOptions {
  int hidden;
  int intermediate;
  bool bias = false;
  Activation activation = Activation::kSilu;
  // Names of the parts. Where the weights have `fused`, its rows are [gate | up].
  const char* gate = "gate_proj";
  const char* up = "up_proj";
  const char* down = "down_proj";
  const char* fused = "gate_up_proj";
};

// down(activation(gate x) · up x)
class Mlp {
 public:
  Mlp(WeightStore& weights, const std::string& path, const MlpOptions& options);

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x) const;
  // As above with the norm applied first, plus `residual`.
  mx::array operator()(const Normed& x, const std::optional<mx::array>& residual) const;

 private:
  bool packed() const;
  // The input of the last matrix.
  mx::array inner(const mx::array& x) const;

  Activation activation_;
  bool whole_blocks_;  // where gate and up are fused, up starts at a block's first row
  std::optional<Linear> gate_, up_, fused_;  // both, or `fused_`
  Linear down_;
};

}  // namespace llm_host
