#include "models/granite_swa_base.h"

#include <map>

#include "common/error.h"

namespace llm_host {
namespace {

std::vector<double> thetas_of(const Config& config, int layers) {
  std::vector<double> thetas = config.numbers("layer_rope_theta");
  if (thetas.size() == static_cast<size_t>(layers)) return thetas;
  throw Error(kModelBroken, "config.json: layer_rope_theta must have num_hidden_layers (" +
                                std::to_string(layers) + ") entries, got " +
                                std::to_string(thetas.size()));
}

}  // namespace

void set_granite_swa(const Config& config, DecoderConfig& c) {
  c.read_granite_multipliers(config);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.sinks = true;
  std::vector<std::string> types = layer_types(config, c.layers, kAttentionTypes);
  for (int i = static_cast<int>(types.size()); i < c.layers; ++i) {
    types.push_back(i % 4 == 0 ? "full_attention" : "sliding_attention");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 128);
  }
  c.ropes = ropes_of(config, c, {}, 10000);
  if (!config.has("layer_rope_theta")) return;
  std::vector<double> thetas = thetas_of(config, c.layers);
  std::map<double, std::shared_ptr<const Rope>> known{{0, nullptr}};
  for (size_t i = 0; i < thetas.size(); ++i) {
    auto [found, added] = known.try_emplace(thetas[i]);
    if (added) {
      RopeOptions options{.head_dim = c.head_dim, .max_positions = c.max_positions};
      options.theta = thetas[i];
      options.own_theta = true;
      found->second = std::make_shared<const Rope>(config, options);
    }
    c.ropes[i] = found->second;
  }
}

}  // namespace llm_host
