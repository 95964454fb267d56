#include "models/decoder.h"

namespace llm_host {

// llama with biases on q, k and v.
static std::unique_ptr<Model> make_qwen2(const Config& config, WeightStore& weights,
                                         int context_length) {
  DecoderConfig c(config, {.max_positions = 32768});
  std::vector<std::string> types = qwen_layer_types(config, c.layers);
  c.qkv_bias = true;
  c.windows = windows_of(config, c, types);
  c.ropes = ropes_of(config, c, types, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(qwen2, make_qwen2, &kHeadsAndNetwork);

}  // namespace llm_host
