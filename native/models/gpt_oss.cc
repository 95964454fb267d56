#include "layers/experts/moe.h"
#include "models/decoder.h"

namespace llm_host {
namespace {

// The default of transformers if config.json has no rope parameters.
const Value& gpt_oss_rope() {
  static const Value kDefault(
      Value::Object{{"rope_parameters",
                     Value(Value::Object{{"rope_theta", Value(150000.0)},
                                         {"rope_type", Value(std::string("yarn"))},
                                         {"factor", Value(32.0)},
                                         {"beta_fast", Value(32.0)},
                                         {"beta_slow", Value(1.0)},
                                         {"truncate", Value(false)},
                                         {"original_max_position_embeddings", Value(4096.0)}})}});
  return kDefault;
}

std::vector<std::string> gpt_oss_layer_types(const Config& config, int layers) {
  std::vector<std::string> types = layer_types(config, layers, kAttentionTypes);
  for (int i = static_cast<int>(types.size()); i < layers; ++i) {
    types.push_back(kAttentionTypes[i % 2 == 0 ? 1 : 0]);
  }
  return types;
}

}  // namespace

// Attention sinks, windows in every other layer, biases everywhere, and in each layer a mixture of
// experts with a clipped SwiGLU. mlx-lm rounds yarn's boundaries even if `truncate` is false, so
// its angles differ a little from transformers'.
static std::unique_ptr<Model> make_gpt_oss(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config, {.max_positions = 131072, .eps = 1e-5});
  std::vector<std::string> types = gpt_oss_layer_types(config, c.layers);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", true);
  c.sinks = true;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 128);
  }
  bool own_rope = config.has("rope_parameters") || config.has("rope_scaling");
  c.ropes = ropes_of(own_rope ? config : Config(gpt_oss_rope()), c, {}, 150000);

  int experts = config.integer_or("num_local_experts", config.integer_or("num_experts", 128));
  Router::Options router{.kind = Router::Kind::kTopKSoftmax,
                         .experts = experts,
                         .per_token = config.integer_or("num_experts_per_tok",
                                                        config.integer_or("experts_per_token", 4)),
                         .bias = true};
  Experts::Shape shape{.experts = experts,
                       .hidden = c.hidden,
                       .intermediate = config.integer("intermediate_size"),
                       .bias = true,
                       .interleaved = true};
  shape.activation = {.limit = positive_or(config, "swiglu_limit", 7),
                      .alpha = static_cast<float>(config.number_or("swiglu_alpha", 1.702))};
  auto feed_forward = [&](WeightStore& store, const std::string& path, int) -> FeedForward {
    return Moe(Router(store, path + ".mlp.router", c.hidden, router),
               Experts(store, path + ".mlp", shape));
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(gpt_oss, make_gpt_oss, &kHeadsAndExperts);

}  // namespace llm_host
