#include "models/decoder.h"

namespace llm_host {

// llama without biases, with a window in every layer: 4096 tokens if config.json has no key for it,
// none if it is null. mlx-lm runs these as llama and ignores the window, so beyond it its answers
// differ from transformers'.
static std::unique_ptr<Model> make_mistral(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config, {.max_positions = 131072});
  std::vector<std::string> types = layer_types(config, c.layers, kAttentionTypes);
  c.windows = windows_everywhere(config, c, types, 4096);
  c.ropes = ropes_of(config, c, types, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(mistral, make_mistral, &kHeadsAndNetwork);

}  // namespace llm_host
