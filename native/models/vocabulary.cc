#include "models/vocabulary.h"

#include "common/launch_groups.h"

namespace llm_host {
namespace {

// x · factor in float32, rounded once: 0.22 rounded to bfloat16 would be off by 0.1 %.
mx::array scaled(const mx::array& x, float factor) {
  if (factor == 1) return x;
  auto operations = [](const std::vector<mx::array>& in) -> std::vector<mx::array> {
    return {mx::astype(mx::multiply(mx::astype(in[0], mx::float32), in[1]), in[0].dtype())};
  };
  return fused("Scale", operations, {x, mx::array(factor)});
}

bool is_tied(const Config& config, const WeightStore& weights) {
  return config.boolean_or("tie_word_embeddings", !weights.has("lm_head.weight"));
}

Linear head_of(const Config& config, const DecoderConfig& c, WeightStore& weights,
               const Embedding& embedding) {
  if (!is_tied(config, weights)) {
    return Linear::load(weights, "lm_head", c.vocab, c.hidden, false);
  }
  weights.ignore("lm_head.");
  return embedding.as_linear();
}

std::vector<mx::array> divided(const std::vector<mx::array>& in) {
  return {mx::divide(mx::astype(in[0], mx::float32), in[1])};
}

std::vector<mx::array> capped(const std::vector<mx::array>& in) {
  return {mx::multiply(mx::tanh(mx::divide(divided(in)[0], in[2])), in[2])};
}

}  // namespace

Vocabulary::Vocabulary(const Config& config, const DecoderConfig& c, WeightStore& weights)
    : factor_(c.embedding_factor),
      divisor_(c.logit_divisor),
      cap_(c.logit_cap),
      embedding_(WeightMatrix::load(weights, "model.embed_tokens", c.vocab, c.hidden)),
      head_(head_of(config, c, weights, embedding_)) {}

mx::array Vocabulary::embed(const mx::array& ids) const { return scaled(embedding_(ids), factor_); }

mx::array Vocabulary::logits(const Normed& hidden) const {
  mx::array logits =
      head_.packed() ? Linear::apply({head_}, normalised(hidden)) : head_(hidden.value());
  if (cap_ != 0) return fused("CapLogits", capped, {logits, mx::array(divisor_), mx::array(cap_)});
  if (divisor_ != 1) return fused("DivideLogits", divided, {logits, mx::array(divisor_)});
  return mx::astype(logits, mx::float32);
}

}  // namespace llm_host
