#include "common/error.h"
#include "models/decoder.h"
#include "models/glm_experts.h"
#include "models/latent.h"

namespace llm_host {

// Multi-head latent attention, queries that grow with the position, and mixtures of experts chosen
// by a softmax.
static std::unique_ptr<Model> make_mistral4(const Config& config, WeightStore& weights,
                                            int context_length) {
  DecoderConfig c(config, {.max_positions = 1048576, .head_dim = 128});
  read_latent_attention(
      config, c,
      {.query_rank = 1024, .rank = 256, .plain_dim = 64, .rotary_dim = 64, .value_dim = 128});
  std::optional<Config> rope = config.object("rope_parameters");
  if (!rope) throw Error(kModelBroken, "config.json has no rope_parameters");
  c.latent->growth.beta = rope->number_or("llama_4_scaling_beta", 0);
  c.latent->growth.length = rope->integer_or("original_max_position_embeddings", c.max_positions);
  // partial_rotary_factor is that of a whole head.
  int rotary = c.latent->rotary_dim, whole = c.latent->plain_dim + rotary;
  c.head_dim = whole;
  c.ropes = ropes_of(
      config, c, {},
      {10000, config.boolean_or("rope_interleave", true), static_cast<double>(rotary) / whole});
  GlmExpertDefaults experts{.experts = 128, .width = 2048, .per_token = 4, .softmax = true};
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{glm_feed_forwards(config, c, 0, experts), nullptr});
}

MODEL_FAMILY(mistral4, make_mistral4);

}  // namespace llm_host
