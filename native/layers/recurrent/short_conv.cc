#include "layers/recurrent/short_conv.h"

#include "common/launch_groups.h"
#include "kernels/ops.h"

namespace llm_host {
namespace {

// B, C, x and the convolution's taps -> C · conv(B · x), B · x
std::vector<mx::array> gated_step(const std::vector<mx::array>& in) {
  mx::array product = mx::multiply(in[0], in[2]);
  std::span<const mx::array> taps(in.begin() + 3, in.end());
  return {mx::multiply(in[1], weighted_sum(product, taps)), product};
}

}  // namespace

ShortConv::ShortConv(WeightStore& weights, const std::string& path, int hidden, int kernel,
                     bool bias)
    : input_(Linear::load(weights, path + ".in_proj", 3 * hidden, hidden, bias)),
      conv_(weights, path + ".conv", hidden, kernel, bias),
      output_(Linear::load(weights, path + ".out_proj", hidden, hidden, bias)) {}

mx::array ShortConv::operator()(const mx::array& x, StateCache& cache) const {
  std::vector<mx::array> parts = mx::split(input_(x), 3, -1);
  const mx::array &b = parts[0], &c = parts[1], &value = parts[2];
  if (conv_.elementwise(x.shape(1))) {
    std::vector<mx::array> inputs{b, c, value};
    for (const mx::array& tap : conv_.taps(cache, b.dtype())) inputs.push_back(tap);
    std::vector<mx::array> results = fused_all("ShortConv", gated_step, inputs, Shapes::kThese);
    conv_.remember(results[1], cache);
    cache.advance(1);
    return output_(results[0]);
  }
  mx::array y = mx::multiply(c, conv_(mx::multiply(b, value), cache));
  cache.advance(x.shape(1));
  return output_(cpu::usable() ? mx::contiguous(y) : y);
}

}  // namespace llm_host
