#include "layers/recurrent/decay_rates.h"

namespace llm_host {

mx::array decay_rates(WeightStore& weights, const std::string& path, int heads) {
  auto read = [&](const char* name) {
    return mx::astype(weights.vector(path + name, heads), mx::float32);
  };
  mx::array rates = weights.has(path + ".A") ? read(".A") : mx::negative(mx::exp(read(".A_log")));
  rates.eval();
  return rates;
}

}  // namespace llm_host
