#include "models/decoder.h"

namespace llm_host {

// llama with biases that the output of attention may lack.
static std::unique_ptr<Model> make_seed_oss(const Config& config, WeightStore& weights,
                                            int context_length) {
  DecoderConfig c(config, {.max_positions = 524288, .head_dim = 128});
  c.qkv_bias = config.boolean_or("attention_bias", true);
  c.output_bias = config.boolean_or("attention_out_bias", false);
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  c.ropes = ropes_of(config, c, {}, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(seed_oss, make_seed_oss, &kHeadsAndNetwork);

}  // namespace llm_host
