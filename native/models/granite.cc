#include "models/decoder.h"

namespace llm_host {

// llama with multipliers of embedding, attention, residual and logits.
static std::unique_ptr<Model> make_granite(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  c.read_granite_multipliers(config);
  c.ropes = ropes_of(config, c, {}, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(granite, make_granite, &kHeadsAndNetwork);

}  // namespace llm_host
