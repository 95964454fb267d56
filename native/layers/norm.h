#pragma once

#include <optional>
#include <string>

#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

struct NormOptions {
  float eps;
  bool add_one = false;  // Gemma stores weight - 1
  // LayerNorm instead of RMSNorm, and whether it has a bias.
  bool centred = false;
  bool bias = false;
};

// RMSNorm, x / sqrt(mean(x²) + eps) · weight, over the last dimension; or LayerNorm, the same for
// x - mean(x), plus a bias if there is one.
class Norm {
 public:
  // Reads `path`.weight and, if there is to be one, `path`.bias.
  Norm(WeightStore& weights, const std::string& path, int size, const NormOptions& options);
  // An RMSNorm with this weight.
  Norm(mx::array weight, float eps) : weight_(std::move(weight)), eps_(eps) {}
  // An RMSNorm without weights.
  Norm(int size, float eps, mx::Dtype dtype);

  mx::array operator()(const mx::array& x) const;

  // Whether it is a LayerNorm, which no kernel applies in its own pass.
  bool centred() const { return centred_; }
  const mx::array& weight() const { return weight_; }
  float eps() const { return eps_; }

 private:
  mx::array weight_;
  std::optional<mx::array> bias_;
  float eps_;
  bool centred_ = false;
};

// x and a norm that is still to be applied, if any: some kernels do that in their own pass.
struct Normed {
  const mx::array& x;
  const Norm* norm = nullptr;

  mx::array value() const { return norm != nullptr ? (*norm)(x) : x; }
};

}  // namespace llm_host
