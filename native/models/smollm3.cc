#include "common/error.h"
#include "models/decoder.h"

namespace llm_host {
namespace {

// Which layers have positions: those with a 1 in no_rope_layers; by default all but every fourth.
std::vector<bool> rotating_layers(const Config& config, int layers) {
  std::vector<bool> rotating;
  if (!config.has("no_rope_layers")) {
    int interval = config.integer_or("no_rope_layer_interval", 4);
    for (int i = 0; i < layers; ++i) rotating.push_back((i + 1) % interval != 0);
    return rotating;
  }
  for (double value : config.numbers("no_rope_layers")) rotating.push_back(value != 0);
  if (rotating.size() < static_cast<size_t>(layers)) {
    throw Error(kModelBroken, "config.json: no_rope_layers must have num_hidden_layers (" +
                                  std::to_string(layers) + ") entries, got " +
                                  std::to_string(rotating.size()));
  }
  return rotating;
}

}  // namespace

// llama with some layers without positions; with use_sliding_window those layers see only a window.
static std::unique_ptr<Model> make_smollm3(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config, {.max_positions = 32768});
  std::vector<std::string> types = layer_types(config, c.layers, kAttentionTypes);
  std::vector<bool> rotating = rotating_layers(config, c.layers);
  if (types.empty() && config.boolean_or("use_sliding_window", false) &&
      config.has("sliding_window")) {
    for (int i = 0; i < c.layers; ++i) {
      types.push_back(rotating[static_cast<size_t>(i)] ? "full_attention" : "sliding_attention");
    }
  }
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  c.windows = windows_of(config, c, types);
  c.ropes = ropes_of(config, c, types, 2000000);
  for (size_t i = 0; i < c.ropes.size(); ++i) {
    if (!rotating[i]) c.ropes[i] = nullptr;
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(smollm3, make_smollm3, &kHeadsAndNetwork);

}  // namespace llm_host
