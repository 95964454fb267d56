#pragma once

#include "common/launch_groups.h"
#include "kernels/ops.h"
#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

struct NormOptions {
  float eps;
  bool add_one = false;  // Gemma stores weight - 1
};

// x / sqrt(mean(x²) + eps) · weight, over the last dimension.
class RmsNorm {
 public:
  // Reads `path`.weight.
  RmsNorm(WeightStore& weights, const std::string& path, int size, const NormOptions& options)
      : weight_(weights.vector(path + ".weight", size)), eps_(options.eps) {
    if (!options.add_one) return;
    // In float32: in bfloat16 a weight near 0 would lose its last bits next to 1.
    mx::array one = mx::add(mx::astype(weight_, mx::float32), mx::array(1.0f));
    weight_ = mx::astype(one, weight_.dtype());
    weight_.eval();
  }

  mx::array operator()(const mx::array& x) const {
    if (cpu::usable()) return cpu::rms_norm(x, weight_, eps_);
    return one_launch("RMSNorm", {x, weight_},
                      [&] { return mx::fast::rms_norm(x, weight_, eps_); });
  }

  const mx::array& weight() const { return weight_; }
  float eps() const { return eps_; }

 private:
  mx::array weight_;
  float eps_;
};

// x and a norm that is still to be applied: some kernels do that in their own pass.
struct Normed {
  const mx::array& x;
  const RmsNorm& norm;

  mx::array value() const { return norm(x); }
};

}  // namespace llm_host
