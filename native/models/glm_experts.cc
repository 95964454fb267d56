#include "models/glm_experts.h"

#include "layers/experts/moe.h"
#include "models/sparse_layers.h"

namespace llm_host {

FeedForward glm_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                        const std::string& path, const GlmExpertDefaults& d) {
  std::string block = path + ".mlp";
  // transformers 5 writes num_local_experts.
  int experts =
      config.integer_or("n_routed_experts", config.integer_or("num_local_experts", d.experts));
  int width = config.integer_or("moe_intermediate_size", d.width);
  using Kind = Router::Kind;
  std::string bias = d.softmax ? "" : block + ".gate.e_score_correction_bias";
  Router::Options router{
      .kind = d.softmax ? Kind::kSoftmaxTopK : Kind::kSigmoidTopK,
      .experts = experts,
      .per_token = config.integer_or("num_experts_per_tok", d.per_token),
      .normalise = config.boolean_or("norm_topk_prob", true),
      .scale = static_cast<float>(config.number_or("routed_scaling_factor", d.scale)),
      .selection_bias = bias,
      .groups = config.integer_or("n_group", d.groups),
      .kept_groups = config.integer_or("topk_group", d.kept_groups)};
  Experts::Shape shape{.experts = experts, .hidden = c.hidden, .intermediate = width};
  Moe moe(Router(weights, block + ".gate", c.hidden, router), Experts(weights, block, shape));
  int shared = config.integer_or("n_shared_experts", 1, 0);
  if (shared == 0) return moe;
  Mlp mlp(weights, block + ".shared_experts", {c.hidden, shared * width, false, c.activation});
  return [=](const mx::array& x) { return mx::add(moe(x), mlp(x)); };
}

FeedForwardMaker glm_feed_forwards(const Config& config, const DecoderConfig& c, int dense,
                                   const GlmExpertDefaults& defaults) {
  int first = config.integer_or("first_k_dense_replace", dense, 0);
  return [&config, &c, defaults, sparse = sparse_layers(config, c.layers, first)](
             WeightStore& weights, const std::string& path, int layer) {
    return sparse[static_cast<size_t>(layer)] ? glm_experts(config, c, weights, path, defaults)
                                              : dense_feed_forward(c, weights, path);
  };
}

}  // namespace llm_host
