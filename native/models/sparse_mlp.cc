#include "models/sparse_mlp.h"

#include <cmath>
#include <numbers>

namespace llm_host {
namespace {

// x so that a normally distributed number is below it with probability `p`.
double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    double middle = (low + high) / 2;
    double below = std::erfc(-middle / std::numbers::sqrt2) / 2;
    (below < p ? low : high) = middle;
  }
  return low;
}

}  // namespace

SparseMlp::SparseMlp(WeightStore& weights, const std::string& path, const MlpOptions& o,
                     double share)
    : activation_(o.activation),
      gate_(Linear::load(weights, path + "." + o.gate, o.intermediate, o.hidden, o.bias)),
      up_(Linear::load(weights, path + "." + o.up, o.intermediate, o.hidden, o.bias)),
      down_(Linear::load(weights, path + "." + o.down, o.hidden, o.intermediate, o.bias)),
      deviations_(static_cast<float>(normal_quantile(share))) {}

mx::array SparseMlp::operator()(const mx::array& x) const {
  mx::array gate = gate_(x);
  mx::array deviation = mx::sqrt(mx::var(gate, -1, true));
  mx::array cut = mx::add(mx::mean(gate, -1, true),
                          mx::multiply(deviation, mx::array(deviations_, gate.dtype())));
  mx::array kept = mx::maximum(mx::subtract(gate, cut), mx::array(0.0f, gate.dtype()));
  return down_(gated(activation_, kept, up_(x)));
}

}  // namespace llm_host
