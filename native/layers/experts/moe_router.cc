#include "layers/experts/moe_router.h"

#include <limits>

#include "common/error.h"
#include "common/launch_groups.h"

namespace llm_host {
namespace {

// The indices of the k greatest values along the last dimension, in no order.
mx::array greatest(const mx::array& values, int k) {
  mx::array order = mx::argpartition(values, -k, -1);
  mx::Shape start(static_cast<size_t>(values.ndim()), 0), stop = values.shape();
  start.back() = stop.back() - k;
  return mx::slice(order, start, stop);
}

// The experts with the greatest scores, and their values as weights.
Routing chosen(const mx::array& scores, const mx::array& values, int k) {
  mx::array experts = greatest(scores, k);
  return {experts, mx::take_along_axis(values, experts, -1)};
}

// logits and a bias for the choice -> scores for the choice, weights
std::vector<mx::array> sigmoid_scores(const std::vector<mx::array>& in) {
  mx::array weights = mx::sigmoid(mx::astype(in[0], mx::float32));
  return {mx::add(weights, in[1]), weights};
}

std::vector<mx::array> sigmoid(const std::vector<mx::array>& in) {
  return {mx::sigmoid(mx::astype(in[0], mx::float32))};
}

std::vector<mx::array> capped_choice(const std::vector<mx::array>& in) {
  return {mx::multiply(mx::tanh(mx::divide(in[0], in[1])), in[1])};
}

// weights, their sum, what is added to it, and a factor if there is one
std::vector<mx::array> shares(const std::vector<mx::array>& in) {
  mx::array shares = mx::divide(in[0], mx::add(in[1], in[2]));
  return {in.size() == 3 ? shares : mx::multiply(shares, in[3])};
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
  check_groups();
  if (!options.selection_bias.empty()) {
    selection_bias_ = weights.vector(options.selection_bias, options.experts);
  }
}

void Router::check_groups() const {
  int groups = options_.groups, kept = options_.kept_groups, experts = options_.experts;
  if (groups == 1) return;
  bool fits = experts % groups == 0 && experts / groups >= 2 && kept <= groups &&
              options_.per_token <= experts / groups * kept;
  if (fits) return;
  throw Error(kModelBroken, "config.json: n_group (" + std::to_string(groups) +
                                ") must divide the experts (" + std::to_string(experts) +
                                ") into groups of 2 or more, and topk_group (" +
                                std::to_string(kept) + ") of them hold num_experts_per_tok (" +
                                std::to_string(options_.per_token) + ")");
}

// mlx-lm sets the others to 0, which wins over a bias below that.
mx::array Router::in_kept_groups(const mx::array& scores) const {
  int dropped = options_.groups - options_.kept_groups;
  if (dropped <= 0) return scores;
  mx::Shape grouped = scores.shape();
  grouped.back() = options_.groups;
  grouped.push_back(options_.experts / options_.groups);
  mx::array by_group = mx::reshape(scores, grouped);
  mx::array best = mx::sum(mx::topk(by_group, 2, -1), -1, true);
  mx::array order = mx::argpartition(best, dropped, -2);
  mx::Shape start(order.ndim(), 0), stop = order.shape();
  stop[stop.size() - 2] = dropped;
  mx::array lowest(-std::numeric_limits<float>::infinity());
  return mx::reshape(mx::put_along_axis(by_group, mx::slice(order, start, stop), lowest, -2),
                     scores.shape());
}

Routing Router::operator()(const mx::array& x) const {
  mx::array logits = projection_.precise(Normed{x});
  if (options_.kind != Kind::kSigmoidTopK) return by_softmax(logits);
  if (options_.cap == 0) return by_sigmoid(logits);
  mx::array cap(options_.cap, logits.dtype());
  return by_sigmoid(fused("CapLogits", capped_choice, {logits, cap}));
}

// Experts are chosen by logits, which are not rounded as a softmax is. Groups are compared by
// sums of a softmax.
mx::array Router::scores_by_softmax(const mx::array& logits) const {
  if (options_.groups == 1) return logits;
  return in_kept_groups(mx::softmax(mx::astype(logits, mx::float32), -1));
}

Routing Router::by_softmax(const mx::array& logits) const {
  bool over_all = options_.kind == Kind::kSoftmaxTopK && !options_.normalise;
  mx::array values = over_all ? mx::softmax(logits, -1, true) : logits;
  Routing routing = chosen(scores_by_softmax(logits), values, options_.per_token);
  if (!over_all) routing.weights = mx::softmax(routing.weights, -1, true);
  if (options_.scale != 1) {
    mx::array factor(options_.scale, routing.weights.dtype());
    routing.weights = mx::multiply(routing.weights, factor);
  }
  return routing;
}

Routing Router::by_sigmoid(const mx::array& logits) const {
  auto scores = selection_bias_
                    ? fused_all("SigmoidScores", sigmoid_scores, {logits, *selection_bias_})
                    : fused_all("Sigmoid", sigmoid, {logits});
  Routing routing = chosen(in_kept_groups(scores.front()), scores.back(), options_.per_token);
  mx::array factor(options_.scale);
  if (options_.normalise) {
    // All sigmoids may be near 0.
    mx::array sum = mx::sum(routing.weights, -1, true), least(1e-6f);
    std::vector<mx::array> inputs{routing.weights, sum, least};
    if (options_.scale != 1) inputs.push_back(factor);
    routing.weights = fused("Shares", shares, inputs);
  } else if (options_.scale != 1) {
    routing.weights = mx::multiply(routing.weights, factor);
  }
  return routing;
}

}  // namespace llm_host
