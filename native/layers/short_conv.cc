#include "layers/short_conv.h"

namespace llm_host {

ShortConv::ShortConv(WeightStore& weights, const std::string& path, int hidden, int kernel,
                     bool bias)
    : input_(Linear::load(weights, path + ".in_proj", 3 * hidden, hidden, bias)),
      conv_(weights, path + ".conv", hidden, kernel, bias),
      output_(Linear::load(weights, path + ".out_proj", hidden, hidden, bias)) {}

mx::array ShortConv::operator()(const mx::array& x, StateCache& cache) const {
  std::vector<mx::array> parts = mx::split(input_(x), 3, -1);
  const mx::array &b = parts[0], &c = parts[1], &value = parts[2];
  mx::array y = mx::multiply(c, conv_(mx::multiply(b, value), cache));
  cache.advance(x.shape(1));
  return output_(mx::contiguous(y));
}

}  // namespace llm_host
