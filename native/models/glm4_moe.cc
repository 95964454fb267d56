#include "models/decoder.h"
#include "models/glm_experts.h"

namespace llm_host {

// GLM 4.5 to 4.7: rotation of half of each head, dense layers first, then mixtures of experts.
static std::unique_ptr<Model> make_glm4_moe(const Config& config, WeightStore& weights,
                                            int context_length) {
  DecoderConfig c(config, {.max_positions = 131072, .eps = 1e-5, .head_dim = 128});
  c.qkv_bias = config.boolean_or("attention_bias", false);
  if (config.boolean_or("use_qk_norm", false)) c.qk_norm = QkNorm::kHeads;
  c.ropes = ropes_of(config, c, {}, {10000, false, 0.5});
  // A layer behind the last predicts several tokens at once.
  weights.ignore("model.layers." + std::to_string(c.layers) + ".");
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{glm_feed_forwards(config, c, 1), nullptr});
}

MODEL_FAMILY(glm4_moe, make_glm4_moe);

}  // namespace llm_host
