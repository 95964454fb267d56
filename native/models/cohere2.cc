#include "models/decoder.h"

namespace llm_host {

// Attention and feed-forward side by side behind one LayerNorm without a bias. Layers with a window
// have interleaved rotation, those without one have no positions.
static std::unique_ptr<Model> make_cohere2(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config, {.max_positions = 8192, .eps = 1e-5, .eps_key = "layer_norm_eps"});
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.layer_norms = c.parallel = true;
  c.names.feed_forward_norm = nullptr;
  c.logit_divisor = 1 / positive_or(config, "logit_scale", 0.0625);
  c.ropes = ropes_of(config, c, {}, {10000, true});
  std::vector<std::string> types =
      patterned_types(config, c.layers, config.integer_or("sliding_window_pattern", 4));
  for (size_t i = 0; i < types.size(); ++i) {
    bool sliding = types[i] == "sliding_attention";
    if (sliding) c.windows[i] = config.integer_or("sliding_window", 4096);
    if (!sliding) c.ropes[i] = nullptr;
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(cohere2, make_cohere2);

}  // namespace llm_host
