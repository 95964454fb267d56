#include "models/decoder.h"

namespace llm_host {

// mistral with queries that grow with the position: see QueryGrowth.
static std::unique_ptr<Model> make_ministral3(const Config& config, WeightStore& weights,
                                              int context_length) {
  DecoderConfig c(config, {.max_positions = 262144, .eps = 1e-5, .head_dim = 128});
  std::vector<std::string> types = layer_types(config, c.layers, kAttentionTypes);
  c.windows = windows_everywhere(config, c, types, 0);
  c.ropes = ropes_of(config, c, types, 10000);
  if (auto rope = config.object("rope_parameters")) {
    c.growth.beta = rope->number_or("llama_4_scaling_beta", 0);
    c.growth.length = rope->integer_or("original_max_position_embeddings", c.max_positions);
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(ministral3, make_ministral3, &kHeadsAndNetwork);

}  // namespace llm_host
