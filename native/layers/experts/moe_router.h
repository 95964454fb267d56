#pragma once

#include "layers/linear.h"

namespace llm_host {

// The experts of each token, and the weight of each.
struct Routing {
  mx::array experts;  // [1, L, k] uint32, in no order
  mx::array weights;  // [1, L, k] in the activations' type or float32
};

class Router {
 public:
  enum class Kind {
    kSoftmaxTopK,  // p = softmax over all experts; the k greatest. Normalised: as kTopKSoftmax
    kTopKSoftmax,  // the k greatest logits; softmax over them
    kSigmoidTopK,  // p = sigmoid; the k greatest of p + selection bias, weighted by p alone
  };
  struct Options {
    Kind kind;
    int experts;
    int per_token;
    bool bias = false;                // of the projection
    bool normalise = false;           // weights add up to 1; with kTopKSoftmax they always do
    float scale = 1;                  // of the weights, applied last
    std::string selection_bias = "";  // kSigmoidTopK: name of the tensor [experts], or ""
    // Experts are in `groups` of equal size, and only those of the `kept_groups`
    // whose two greatest scores are greatest together may be chosen.
    int groups = 1, kept_groups = 1;
    float cap = 0;  // kSigmoidTopK: logits become cap · tanh(logits / cap); 0 = off
  };

  // Reads `path`.weight [experts, hidden]. Throws MODEL_BROKEN if there are fewer experts than
  // `per_token`, or if the groups do not fit them.
  Router(WeightStore& weights, const std::string& path, int hidden, const Options& options);

  // x [1, L, hidden]
  Routing operator()(const mx::array& x) const;

 private:
  Routing by_softmax(const mx::array& logits) const;
  mx::array scores_by_softmax(const mx::array& logits) const;
  Routing by_sigmoid(const mx::array& logits) const;
  void check_groups() const;
  // The scores for the choice, -infinity in groups that are not kept.
  mx::array in_kept_groups(const mx::array& scores) const;

  Options options_;
  Linear projection_;
  std::optional<mx::array> selection_bias_;
};

}  // namespace llm_host
