#include "layers/mlp.h"

#include "kernels/ops.h"

namespace llm_host {

Mlp::Mlp(WeightStore& weights, const std::string& path, int hidden, int intermediate, bool bias)
    : gate_(Linear::load(weights, path + ".gate_proj", intermediate, hidden, bias)),
      up_(Linear::load(weights, path + ".up_proj", intermediate, hidden, bias)),
      down_(Linear::load(weights, path + ".down_proj", hidden, intermediate, bias)) {}

mx::array Mlp::operator()(const mx::array& x) const {
  mx::array gate = gate_(x), up = up_(x);
  if (cpu::usable()) return down_(cpu::swiglu(gate, up));
  return down_(mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up));
}

}  // namespace llm_host
