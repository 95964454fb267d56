#include "models/gemma4_experts.h"

#include <cmath>

#include "layers/experts/moe.h"

namespace llm_host {
namespace {

// A norm, whose weights are divided by √hidden_size; the k greatest logits and their softmax, times
// a factor of each expert.
class Gemma4Router {
 public:
  Gemma4Router(WeightStore& weights, const std::string& path, const DecoderConfig& c,
               const Router::Options& options)
      : norm_(norm_of(weights.vector(path + ".scale", c.hidden), c)),
        router_(weights, path + ".proj", c.hidden, options),
        factors_(weights.vector(path + ".per_expert_scale", options.experts)) {}

  Routing operator()(const mx::array& x) const {
    Routing routing = router_(norm_(x));
    mx::array factors = mx::take(factors_, routing.experts, 0);
    routing.weights = mx::multiply(routing.weights, factors);
    return routing;
  }

 private:
  static Norm norm_of(const mx::array& scale, const DecoderConfig& c) {
    mx::array root(1 / std::sqrt(static_cast<float>(c.hidden)), scale.dtype());
    mx::array weight = mx::multiply(scale, root);
    weight.eval();
    return {weight, c.eps};
  }

  Norm norm_;
  Router router_;
  mx::array factors_;  // [experts]
};

}  // namespace

FeedForward gemma4_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                           const std::string& path, int intermediate) {
  int experts = config.integer("num_experts");
  Router::Options options{.kind = Router::Kind::kTopKSoftmax,
                          .experts = experts,
                          .per_token = config.integer("top_k_experts")};
  Experts::Shape shape{.experts = experts,
                       .hidden = c.hidden,
                       .intermediate = config.integer("moe_intermediate_size")};
  shape.activation.kind = cpu::ExpertActivation::Kind::kGeGlu;
  auto norm = [&](const char* name) { return Norm(weights, path + name, c.hidden, c.norm()); };
  Norm before = norm(".pre_feedforward_layernorm"), after = norm(".post_feedforward_layernorm_1");
  Norm before_experts = norm(".pre_feedforward_layernorm_2");
  Norm after_experts = norm(".post_feedforward_layernorm_2");
  Mlp mlp(weights, path + ".mlp", {c.hidden, intermediate, false, c.activation});
  Gemma4Router router(weights, path + ".router", c, options);
  Experts all(weights, path, shape);
  return [=](const mx::array& h) {
    mx::array dense = after(mlp(before(h)));
    return mx::add(dense, after_experts(all(before_experts(h), router(h))));
  };
}

}  // namespace llm_host
