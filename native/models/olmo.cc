#include "models/olmo.h"

namespace llm_host {

void set_olmo(const Config& config, DecoderConfig& c) {
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kWhole;
  c.names.mixer_norm = nullptr;
  c.names.after_mixer = "post_attention_layernorm";
  c.names.feed_forward_norm = nullptr;
  c.names.after_feed_forward = "post_feedforward_layernorm";
}

}  // namespace llm_host
