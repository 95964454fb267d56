#include "models/granite_experts.h"

#include "layers/experts/moe.h"

namespace llm_host {
FeedForward granite_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                            const std::string& path) {
  int experts = config.integer_or("num_local_experts", 8);
  Router::Options router{.kind = Router::Kind::kTopKSoftmax,
                         .experts = experts,
                         .per_token = config.integer_or("num_experts_per_tok", 2)};
  Experts::Shape shape{
      .experts = experts, .hidden = c.hidden, .intermediate = config.integer("intermediate_size")};
  // Published files call it router.layer, transformers 5 saves it as router.
  bool layer = weights.has(path + ".router.layer.weight");
  return Moe(Router(weights, path + (layer ? ".router.layer" : ".router"), c.hidden, router),
             Experts(weights, path, shape));
}

}  // namespace llm_host
