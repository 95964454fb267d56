#include "common/error.h"
#include "layers/experts/moe.h"
#include "models/decoder.h"

namespace llm_host {

// qwen3_moe with windows and a rotation of its own for each kind of layer.
static std::unique_ptr<Model> make_mellum(const Config& config, WeightStore& weights,
                                          int context_length) {
  DecoderConfig c(config, {.max_positions = 131072, .head_dim = 128});
  std::vector<std::string> types = patterned_types(config, c.layers, 0);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 1024);
  }
  if (!config.has("rope_parameters")) {
    throw Error(kModelBroken, "config.json has no rope_parameters");
  }
  c.ropes = ropes_of(config, c, types, 500000);

  int experts = config.integer_or("num_experts", config.integer_or("num_local_experts", 64));
  Router::Options router{.kind = Router::Kind::kSoftmaxTopK,
                         .experts = experts,
                         .per_token = config.integer_or("num_experts_per_tok", 8),
                         .normalise = config.boolean_or("norm_topk_prob", true)};
  Experts::Shape shape{.experts = experts,
                       .hidden = c.hidden,
                       .intermediate = config.integer_or("moe_intermediate_size", 896)};
  std::vector<std::string> kinds;
  if (config.has("mlp_layer_types")) kinds = config.strings("mlp_layer_types");
  auto feed_forward = [&](WeightStore& store, const std::string& path, int layer) -> FeedForward {
    auto i = static_cast<size_t>(layer);
    if (i < kinds.size() && kinds[i] == "dense") return dense_feed_forward(c, store, path);
    return Moe(Router(store, path + ".mlp.gate", c.hidden, router),
               Experts(store, path + ".mlp", shape));
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(mellum, make_mellum);

}  // namespace llm_host
