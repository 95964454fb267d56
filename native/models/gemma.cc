#include "models/gemma.h"

#include <cmath>

namespace llm_host {
namespace {

// √hidden_size, rounded to the type of the embedding as in training; mlx-lm rounds to bfloat16 even
// for float32 weights.
float embedding_factor(int hidden, mx::Dtype dtype) {
  mx::array factor(std::sqrt(static_cast<float>(hidden)));
  return mx::astype(mx::astype(factor, dtype), mx::float32).item<float>();
}

}  // namespace

void set_gemma(const Config& config, const WeightStore& weights, DecoderConfig& c) {
  c.names.after_mixer = "post_attention_layernorm";
  c.names.feed_forward_norm = "pre_feedforward_layernorm";
  c.names.after_feed_forward = "post_feedforward_layernorm";
  c.clips_residuals = true;
  // GGUF files hold 1 + w.
  c.add_one_to_norms = !weights.gguf();
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.attention_scale =
      1 / std::sqrt(static_cast<float>(config.integer_or("query_pre_attn_scalar", 256)));
  c.embedding_factor = embedding_factor(c.hidden, weights.stored_dtype());
}

}  // namespace llm_host
