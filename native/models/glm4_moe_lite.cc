#include "models/decoder.h"
#include "models/glm_experts.h"
#include "models/latent.h"

namespace llm_host {

// GLM 4.7 Flash: glm4_moe with multi-head latent attention.
static std::unique_ptr<Model> make_glm4_moe_lite(const Config& config, WeightStore& weights,
                                                 int context_length) {
  DecoderConfig c(config, {.max_positions = 202752, .eps = 1e-5, .head_dim = 64});
  read_latent_attention(
      config, c,
      {.query_rank = 768, .rank = 512, .plain_dim = 192, .rotary_dim = 64, .value_dim = 256});
  c.ropes = ropes_of(config, c, {}, {10000, config.boolean_or("rope_interleave", true)});
  // A layer behind the last predicts several tokens at once.
  weights.ignore("model.layers." + std::to_string(c.layers) + ".");
  GlmExpertDefaults experts{.experts = 64, .width = 1536, .per_token = 4, .scale = 1.8};
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{glm_feed_forwards(config, c, 1, experts), nullptr});
}

MODEL_FAMILY(glm4_moe_lite, make_glm4_moe_lite);

}  // namespace llm_host
