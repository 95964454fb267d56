#include <cmath>

#include "models/decoder.h"
#include "models/latent.h"

namespace llm_host {

// Multi-head latent attention in a dense model with multipliers of embedding, residual and logits.
// mlx-lm scales no logits where embeddings are tied, and takes rms_norm_eps for latents.
static std::unique_ptr<Model> make_minicpm3(const Config& config, WeightStore& weights,
                                            int context_length) {
  DecoderConfig c(config, {.max_positions = 32768, .eps = 1e-5, .head_dim = 32});
  read_latent_attention(config, c,
                        {.query_rank = 768,
                         .rank = 256,
                         .plain_dim = 64,
                         .rotary_dim = 32,
                         .value_dim = c.hidden / c.heads});
  c.ropes = ropes_of(config, c, {}, 10000);
  // With null there is no such multiplier.
  auto is_null = [&](const char* key) { return config.mentions(key) && !config.has(key); };
  c.embedding_factor = positive_or(config, "scale_emb", 12);
  if (!is_null("scale_depth")) {
    float depth = std::sqrt(static_cast<float>(c.layers));
    c.residual_factor = positive_or(config, "scale_depth", 1.4) / depth;
  }
  if (!is_null("dim_model_base")) {
    c.logit_divisor = static_cast<float>(c.hidden) / positive_or(config, "dim_model_base", 256);
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(minicpm3, make_minicpm3);

}  // namespace llm_host
