#include "models/decoder.h"

namespace llm_host {

// llama with an explicit head size, and norms of q and k.
static std::unique_ptr<Model> make_qwen3(const Config& config, WeightStore& weights,
                                         int context_length) {
  DecoderConfig c(config, {.max_positions = 32768, .head_dim = 128});
  std::vector<std::string> types = qwen_layer_types(config, c.layers);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  c.windows = windows_of(config, c, types);
  c.ropes = ropes_of(config, c, types, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(qwen3, make_qwen3, &kHeadsAndNetwork);

}  // namespace llm_host
