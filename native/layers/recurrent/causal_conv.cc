#include "layers/recurrent/causal_conv.h"

#include "common/launch_groups.h"
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

// x and the convolution's taps -> float32, but rounded to x's type
std::vector<mx::array> silu_of_conv(const std::vector<mx::array>& in) {
  mx::array y = weighted_sum(in[0], std::span(in).subspan(1));
  return {mx::astype(mx::multiply(y, mx::sigmoid(y)), mx::float32)};
}

}  // namespace

mx::array channels_of(const mx::array& x, int begin, int end) {
  return mx::slice(x, {0, 0, begin}, {1, x.shape(1), end});
}

CausalConv::CausalConv(WeightStore& weights, const std::string& path, int channels, int kernel,
                       bool bias)
    : channels_(channels),
      kernel_(kernel),
      weight_(read_weight(weights, path + ".weight", channels, kernel)),
      filters_(weight_) {
  if (bias) bias_ = weights.vector(path + ".bias", channels);
  if (cpu::usable()) return;
  filters_ = mx::contiguous(mx::expand_dims(mx::transpose(weight_), 2));
  for (int k = 0; k < kernel; ++k) {
    rows_.push_back(mx::contiguous(
        mx::reshape(mx::slice(weight_, {k, 0}, {k + 1, channels}), {1, 1, channels})));
  }
  mx::eval(filters_);
  mx::eval(rows_);
}

mx::array CausalConv::state(const StateCache& cache, mx::Dtype dtype) const {
  auto known = cache.get("conv");
  return known ? *known : mx::zeros({1, kernel_ - 1, channels_}, dtype);
}

mx::array CausalConv::extended(const mx::array& x, StateCache& cache) const {
  int length = x.shape(1), kept = kernel_ - 1;
  mx::array inputs = mx::concatenate({state(cache, x.dtype()), x}, 1);
  mx::array last = mx::slice(inputs, {0, length, 0}, {1, length + kept, channels_});
  if (length > kernel_) {
    // Copied, because a slice would keep the inputs of the whole text; and before they are used,
    // because MLX would do it behind the last layer, and keep those of all layers until then.
    last = mx::contiguous(last);
    inputs = mx::depends({inputs}, {last})[0];
  }
  cache.set("conv", last);
  return inputs;
}

mx::array CausalConv::operator()(const mx::array& x, StateCache& cache) const {
  mx::array inputs = extended(x, cache);
  if (cpu::usable()) return cpu::depthwise_conv(inputs, weight_, bias_);
  mx::array y = mx::conv1d(inputs, filters_, 1, 0, 1, channels_);
  return bias_ ? mx::add(y, *bias_) : y;
}

mx::array CausalConv::activated(const mx::array& x, StateCache& cache) const {
  if (cpu::usable()) return cpu::depthwise_conv(extended(x, cache), weight_, bias_, true);
  if (!elementwise(x.shape(1))) {
    mx::array y = (*this)(x, cache);
    return mx::multiply(y, mx::sigmoid(y));
  }
  std::vector<mx::array> inputs{x};
  for (const mx::array& tap : taps(cache, x.dtype())) inputs.push_back(tap);
  remember(x, cache);
  return fused("ConvSilu", silu_of_conv, inputs, Shapes::kThese);
}

// More taps than models have would exceed what mx::compile puts into one kernel.
bool CausalConv::elementwise(int length) const {
  return length == 1 && kernel_ > 1 && kernel_ <= 4 && !cpu::usable();
}

std::vector<mx::array> CausalConv::taps(const StateCache& cache, mx::Dtype dtype) const {
  mx::array before = state(cache, dtype);
  std::vector<mx::array> taps;
  for (int k = 0; k + 1 < kernel_; ++k) {
    taps.push_back(mx::slice(before, {0, k, 0}, {1, k + 1, channels_}));
  }
  taps.insert(taps.end(), rows_.begin(), rows_.end());
  if (bias_) taps.push_back(*bias_);
  return taps;
}

void CausalConv::remember(const mx::array& x, StateCache& cache) const {
  mx::array inputs = mx::concatenate({state(cache, x.dtype()), x}, 1);  // [1, K, C]
  cache.set("conv", mx::slice(inputs, {0, 1, 0}, {1, kernel_, channels_}));
}

// `taps`: the K − 1 inputs before, the K rows of the filter, and the bias if there is one.
mx::array weighted_sum(const mx::array& x, std::span<const mx::array> taps) {
  size_t kernel = (taps.size() + 1) / 2;
  bool biased = taps.size() == 2 * kernel;
  auto product = [&](size_t k) {
    const mx::array& input = k + 1 == kernel ? x : taps[k];
    return mx::multiply(mx::astype(input, mx::float32),
                        mx::astype(taps[kernel - 1 + k], mx::float32));
  };
  mx::array sum = product(0);
  for (size_t k = 1; k < kernel; ++k) sum = mx::add(sum, product(k));
  mx::array y = mx::astype(sum, x.dtype());
  return biased ? mx::add(y, taps.back()) : y;
}

}  // namespace llm_host
