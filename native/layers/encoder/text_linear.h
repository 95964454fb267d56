#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/packed/linear.h"
#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

// y = x Wᵀ + b, for encoders: where matrices are packed for the CPU's kernels, float32 weights are
// rounded to bfloat16. Encoders' checkpoints are mostly float32, and their vectors hardly turn:
// those of all-MiniLM-L6-v2 by a cosine of at least 1 - 4e-5, with activations rounded too.
class TextLinear {
 public:
  // One matrix, or several with the same input, whose outputs are side by side: `path`.weight
  // [out, in] and, if `bias`, .bias [out] of each.
  TextLinear(WeightStore& weights, const std::vector<std::string>& paths, int out, int in,
             bool bias = true);

  // x [..., in] -> [..., Σ out], plus `residual`.
  mx::array operator()(const mx::array& x,
                       const std::optional<mx::array>& residual = std::nullopt) const;

 private:
  void pack(WeightStore& weights, const std::vector<Matrix>& parts);
  mx::array multiply(const mx::array& x) const;

  std::optional<Matrix> stored_;
  std::optional<cpu::Packed> packed_;
  std::optional<mx::array> bias_;
};

}  // namespace llm_host
