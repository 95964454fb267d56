#include "models/sparse_layers.h"

#include <algorithm>

#include "common/error.h"

namespace llm_host {

std::vector<bool> sparse_layers(const Config& config, int layers, int dense) {
  std::vector<bool> sparse(static_cast<size_t>(layers), true);
  constexpr char kKey[] = "mlp_layer_types";
  if (!config.has(kKey)) {
    std::fill_n(sparse.begin(), std::min(dense, layers), false);
    return sparse;
  }
  std::vector<std::string> types = config.strings(kKey);
  bool known = types.size() == sparse.size() &&
               std::all_of(types.begin(), types.end(),
                           [](const auto& type) { return type == "dense" || type == "sparse"; });
  if (!known) {
    throw Error(kModelBroken, "config.json: mlp_layer_types must name each layer dense or sparse");
  }
  std::transform(types.begin(), types.end(), sparse.begin(),
                 [](const std::string& type) { return type == "sparse"; });
  return sparse;
}

}  // namespace llm_host
