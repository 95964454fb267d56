#include "layers/moe_router.h"

#include "common/error.h"

namespace llm_host {
namespace {

// The indices of the k greatest values along the last dimension, in no order.
mx::array greatest(const mx::array& values, int k) {
  mx::array order = mx::argpartition(mx::negative(values), k - 1, -1);
  mx::Shape start(static_cast<size_t>(values.ndim()), 0), stop = values.shape();
  stop.back() = k;
  return mx::contiguous(mx::slice(order, start, stop));
}

mx::array normalised(const mx::array& weights, float epsilon) {
  mx::array sum = mx::sum(weights, -1, true);
  if (epsilon != 0) sum = mx::add(sum, mx::array(epsilon, sum.dtype()));
  return mx::divide(weights, sum);
}

}  // namespace

Router::Router(WeightStore& weights, const std::string& path, int hidden, const Options& options)
    : options_(options),
      projection_(Linear::load_router(weights, path, options.experts, hidden, options.bias)) {
  if (options.per_token > options.experts) {
    throw Error(kModelBroken, "config.json: num_experts_per_tok (" +
                                  std::to_string(options.per_token) + ") is more than the " +
                                  std::to_string(options.experts) + " experts");
  }
  if (!options.selection_bias.empty()) {
    selection_bias_ = weights.vector(options.selection_bias, options.experts);
  }
}

Routing Router::operator()(const mx::array& x) const {
  // In float32: a rounded logit may select another expert.
  mx::array logits = mx::astype(projection_(x), mx::float32);
  auto chosen = [&](const mx::array& scores, const mx::array& values) {
    mx::array experts = greatest(scores, options_.per_token);
    return Routing{experts, mx::take_along_axis(values, experts, -1)};
  };
  Routing routing = [&] {
    switch (options_.kind) {
      case Kind::kTopKSoftmax: {
        Routing best = chosen(logits, logits);
        return Routing{best.experts, mx::softmax(best.weights, -1, true)};
      }
      case Kind::kSoftmaxTopK: {
        mx::array weights = mx::softmax(logits, -1, true);
        Routing best = chosen(weights, weights);
        return options_.normalise ? Routing{best.experts, normalised(best.weights, 0)} : best;
      }
      default: {
        mx::array weights = mx::sigmoid(logits);
        Routing best =
            chosen(selection_bias_ ? mx::add(weights, *selection_bias_) : weights, weights);
        // All sigmoids may be near 0.
        return options_.normalise ? Routing{best.experts, normalised(best.weights, 1e-6f)} : best;
      }
    }
  }();
  if (options_.scale != 1) {
    routing.weights = mx::multiply(routing.weights, mx::array(options_.scale));
  }
  routing.weights = mx::astype(routing.weights, x.dtype());
  return routing;
}

}  // namespace llm_host
