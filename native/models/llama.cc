#include "models/decoder.h"

namespace llm_host {

// A layer has q, k, v, o, gate, up, down and two norms. Windows where layer_types says so, as in
// mlx-lm; transformers has none.
static std::unique_ptr<Model> make_llama(const Config& config, WeightStore& weights,
                                         int context_length) {
  DecoderConfig c(config);
  std::vector<std::string> types = layer_types(config, c.layers, kAttentionTypes);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  c.windows = windows_of(config, c, types);
  c.ropes = ropes_of(config, c, types, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(llama, make_llama, &kHeadsAndNetwork);

}  // namespace llm_host
