#pragma once

#include <optional>

#include "layers/linear.h"

namespace llm_host {

enum class Activation { kSilu, kGeluTanh };

// What config.json calls `name` (hidden_act). Throws MODEL_UNSUPPORTED with the names there are.
Activation activation_of(const std::string& name);

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
  // The same behind a norm, plus `residual`.
  mx::array operator()(const Normed& x, const std::optional<mx::array>& residual) const;

 private:
  bool packed() const;
  Activation activation_;
  bool whole_blocks_;  // gate and up begin with blocks of their own where they are fused
  std::optional<Linear> gate_, up_, fused_;  // both, or `fused_`
  Linear down_;
};

}  // namespace llm_host
