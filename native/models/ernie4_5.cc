#include "models/decoder.h"

namespace llm_host {

// llama with interleaved rotation and one switch for all biases.
static std::unique_ptr<Model> make_ernie4_5(const Config& config, WeightStore& weights,
                                            int context_length) {
  DecoderConfig c(config, {.max_positions = 131072, .eps = 1e-5, .head_dim = 128});
  c.qkv_bias = c.output_bias = c.mlp_bias = config.boolean_or("use_bias", false);
  c.ropes = ropes_of(config, c, {}, {500000, true});
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(ernie4_5, make_ernie4_5, &kHeadsAndNetwork);

}  // namespace llm_host
