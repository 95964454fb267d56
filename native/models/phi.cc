#include "common/error.h"
#include "layers/plain_mlp.h"
#include "models/decoder.h"

namespace llm_host {

// Attention and feed-forward side by side behind one LayerNorm; biases everywhere, also of the
// head.
static std::unique_ptr<Model> make_phi(const Config& config, WeightStore& weights,
                                       int context_length) {
  DecoderConfig c(config, {.eps = 1e-5, .activation = "gelu_new", .eps_key = "layer_norm_eps"});
  if (config.boolean_or("qk_layernorm", false)) {
    throw Error(kModelUnsupported, "config.json: qk_layernorm is not supported");
  }
  if (c.activation != Activation::kGeluTanh) {
    throw Error(kModelUnsupported, "config.json: hidden_act must be gelu_new for phi");
  }
  c.qkv_bias = c.output_bias = c.head_bias = true;
  c.layer_norms = c.norm_bias = c.parallel = true;
  c.names.feed_forward_norm = nullptr;
  c.names.final_norm = "model.final_layernorm";
  c.names.output = "dense";
  c.ropes = ropes_of(config, c, {}, {10000, false, 0.5});
  auto feed_forward = [&](WeightStore& store, const std::string& path, int) -> FeedForward {
    return PlainMlp(Linear::load(store, path + ".mlp.fc1", c.intermediate, c.hidden, true),
                    Linear::load(store, path + ".mlp.fc2", c.hidden, c.intermediate, true), gelu);
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(phi, make_phi);

}  // namespace llm_host
