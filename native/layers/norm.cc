#include "layers/norm.h"

#include "common/launch_groups.h"
#include "kernels/ops.h"

namespace llm_host {

Norm::Norm(WeightStore& weights, const std::string& path, int size, const NormOptions& options)
    : weight_(weights.vector(path + ".weight", size)),
      eps_(options.eps),
      centred_(options.centred) {
  if (options.bias) bias_ = weights.vector(path + ".bias", size);
  if (!options.add_one) return;
  // In float32: in bfloat16 a weight near 0 would lose its last bits next to 1.
  mx::array one = mx::add(mx::astype(weight_, mx::float32), mx::array(1.0f));
  weight_ = mx::astype(one, weight_.dtype());
  weight_.eval();
}

Norm::Norm(int size, float eps, mx::Dtype dtype) : weight_(mx::ones({size}, dtype)), eps_(eps) {
  weight_.eval();
}

mx::array Norm::operator()(const mx::array& x) const {
  if (cpu::usable()) {
    return centred_ ? cpu::layer_norm(x, weight_, bias_, eps_) : cpu::rms_norm(x, weight_, eps_);
  }
  if (!centred_) {
    return one_launch("RMSNorm", {x, weight_},
                      [&] { return mx::fast::rms_norm(x, weight_, eps_); });
  }
  std::vector<mx::array> inputs{x, weight_};
  if (bias_) inputs.push_back(*bias_);
  return one_launch("LayerNorm", inputs,
                    [&] { return mx::fast::layer_norm(x, weight_, bias_, eps_); });
}

}  // namespace llm_host
