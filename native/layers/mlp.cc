#include "layers/mlp.h"

namespace llm_host {

Mlp::Mlp(WeightStore& weights, const std::string& path, int hidden, int intermediate, bool bias)
    : gate_(Linear::load(weights, path + ".gate_proj", intermediate, hidden, bias)),
      up_(Linear::load(weights, path + ".up_proj", intermediate, hidden, bias)),
      down_(Linear::load(weights, path + ".down_proj", hidden, intermediate, bias)) {}

mx::array Mlp::operator()(const mx::array& x) const {
  mx::array gate = gate_(x);
  return down_(mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up_(x)));
}

}  // namespace llm_host
