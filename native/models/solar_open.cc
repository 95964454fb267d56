#include "models/decoder.h"
#include "models/glm_experts.h"

namespace llm_host {

// llama with a mixture of experts in each layer. mlx-lm ignores rope_scaling.
static std::unique_ptr<Model> make_solar_open(const Config& config, WeightStore& weights,
                                              int context_length) {
  DecoderConfig c(config, {.max_positions = 131072, .eps = 1e-5, .head_dim = 128});
  c.qkv_bias = config.boolean_or("attention_bias", false);
  c.ropes = ropes_of(config, c, {}, 1000000);
  auto feed_forward = [&](WeightStore& store, const std::string& path, int) {
    return glm_experts(config, c, store, path);
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(solar_open, make_solar_open);

}  // namespace llm_host
