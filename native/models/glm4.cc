#include "models/decoder.h"

namespace llm_host {

// Interleaved rotation of half of each head, and norms after attention and feed-forward too.
static std::unique_ptr<Model> make_glm4(const Config& config, WeightStore& weights,
                                        int context_length) {
  DecoderConfig c(config, {.max_positions = 131072, .eps = 1.5625e-7, .head_dim = 128});
  c.qkv_bias = config.boolean_or("attention_bias", false);
  c.names.after_mixer = "post_self_attn_layernorm";
  c.names.after_feed_forward = "post_mlp_layernorm";
  c.ropes = ropes_of(config, c, {}, {10000, true, 0.5});
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(glm4, make_glm4);

}  // namespace llm_host
