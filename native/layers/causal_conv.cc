#include "layers/causal_conv.h"

#include "kernels/ops.h"
#include "kernels/ssm_ops.h"

namespace llm_host {
namespace {

mx::array read_weight(WeightStore& weights, const std::string& name, int channels, int kernel) {
  std::vector<int64_t> mlx_shape{channels, kernel, 1};
  bool mlx_layout = weights.shape(name) == mlx_shape;
  mx::array stored =
      weights.tensor(name, mlx_layout ? mlx_shape : std::vector<int64_t>{channels, 1, kernel});
  mx::array weight = mx::contiguous(mx::transpose(mx::reshape(stored, {channels, kernel}), {1, 0}));
  weight.eval();
  return weight;
}

}  // namespace

CausalConv::CausalConv(WeightStore& weights, const std::string& path, int channels, int kernel,
                       bool bias)
    : channels_(channels),
      kernel_(kernel),
      weight_(read_weight(weights, path + ".weight", channels, kernel)) {
  if (bias) bias_ = weights.vector(path + ".bias", channels);
}

mx::array CausalConv::operator()(const mx::array& x, StateCache& cache) const {
  int length = x.shape(1), kept = kernel_ - 1;
  mx::array before = cache.get("conv").value_or(mx::zeros({1, kept, channels_}, x.dtype()));
  mx::array inputs = mx::concatenate({before, x}, 1);  // [1, K − 1 + L, C]
  cache.set("conv", mx::slice(inputs, {0, length, 0}, {1, length + kept, channels_}));
  if (cpu::usable()) return cpu::depthwise_conv(inputs, weight_, bias_);
  mx::array filters = mx::expand_dims(mx::transpose(weight_), 2);  // [C, K, 1]
  mx::array y = mx::conv1d(inputs, filters, 1, 0, 1, channels_);
  return bias_ ? mx::add(y, *bias_) : y;
}

}  // namespace llm_host
