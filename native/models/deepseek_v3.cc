#include "models/decoder.h"
#include "models/glm_experts.h"
#include "models/latent.h"

namespace llm_host {

// Multi-head latent attention, dense layers first, then mixtures of experts that are chosen by
// groups.
static std::unique_ptr<Model> make_deepseek_v3(const Config& config, WeightStore& weights,
                                               int context_length) {
  DecoderConfig c(config, {.max_positions = 4096, .head_dim = 64});
  read_latent_attention(
      config, c,
      {.query_rank = 1536, .rank = 512, .plain_dim = 128, .rotary_dim = 64, .value_dim = 128});
  c.ropes = ropes_of(config, c, {}, {10000, config.boolean_or("rope_interleave", true)});
  // Layers behind the last predict several tokens at once.
  weights.ignore("model.layers." + std::to_string(c.layers) + ".");
  GlmExpertDefaults experts{
      .experts = 256, .width = 2048, .scale = 2.5, .groups = 8, .kept_groups = 4};
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{glm_feed_forwards(config, c, 3, experts), nullptr});
}

MODEL_FAMILY(deepseek_v3, make_deepseek_v3);

}  // namespace llm_host
