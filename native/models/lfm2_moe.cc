#include "layers/experts/moe.h"
#include "models/lfm2_base.h"

namespace llm_host {

// lfm2 with a mixture of experts in all layers but the first num_dense_layers. Experts are selected
// by sigmoid plus a bias, and weighted by the sigmoid alone.
static std::unique_ptr<Model> make_lfm2_moe(const Config& config, WeightStore& weights,
                                            int context_length) {
  Lfm2Base base(config);
  int experts = config.integer_or("num_experts", 32);
  int dense = config.integer_or("num_dense_layers", 2, 0);
  bool biased = config.boolean_or("use_expert_bias", true);
  Router::Options router{.kind = Router::Kind::kSigmoidTopK,
                         .experts = experts,
                         .per_token = config.integer_or("num_experts_per_tok", 4),
                         .normalise = config.boolean_or("norm_topk_prob", true),
                         .scale = static_cast<float>(config.number_or("routed_scaling_factor", 1))};
  Experts::Shape shape{.experts = experts,
                       .hidden = base.decoder.hidden,
                       .intermediate = config.integer_or("moe_intermediate_size", 1792)};
  int width = config.integer_or("intermediate_size", 7168);
  base.parts.feed_forward = [&](WeightStore& store, const std::string& path,
                                int layer) -> FeedForward {
    if (layer < dense) return base.dense(store, path, width);
    Router::Options options = router;
    std::string block = path + ".feed_forward";
    if (biased) options.selection_bias = block + ".expert_bias";
    return Moe(Router(store, block + ".gate", shape.hidden, options), Experts(store, block, shape));
  };
  return std::make_unique<Decoder>(config, base.decoder, weights, context_length, base.parts);
}

MODEL_FAMILY(lfm2_moe, make_lfm2_moe, &kLfm2Layers);

}  // namespace llm_host
