#include "models/vocabulary.h"

#include "common/launch_groups.h"

namespace llm_host {

mx::array scaled(const mx::array& x, float factor) {
  return factor == 1 ? x : mx::multiply(x, mx::array(factor, x.dtype()));
}

namespace {

// A model that turns texts into vectors needs no head.
bool is_tied(const Config& config, const WeightStore& weights) {
  return weights.encodes() ||
         config.boolean_or("tie_word_embeddings", !weights.has("lm_head.weight"));
}

Linear head_of(const Config& config, const DecoderConfig& c, WeightStore& weights,
               const Embedding& embedding) {
  if (!is_tied(config, weights)) {
    return Linear::load(weights, "lm_head", c.vocab, c.hidden, c.head_bias);
  }
  weights.ignore("lm_head.");
  return embedding.as_linear();
}

// Rounded to the type of the logits, as in mlx-lm and transformers.
std::vector<mx::array> divided(const std::vector<mx::array>& in) {
  return {mx::astype(mx::divide(in[0], in[1]), mx::float32)};
}

std::vector<mx::array> capped_logits(const std::vector<mx::array>& in) {
  mx::array logits = mx::divide(mx::astype(in[0], mx::float32), in[1]);
  return {mx::multiply(mx::tanh(mx::divide(logits, in[2])), in[2])};
}

}  // namespace

Vocabulary::Vocabulary(const Config& config, const DecoderConfig& c, WeightStore& weights)
    : factor_(c.embedding_factor),
      divisor_(c.logit_divisor),
      cap_(c.logit_cap),
      embedding_(WeightMatrix::load(weights, c.names.embedding, c.vocab, c.hidden)),
      head_(head_of(config, c, weights, embedding_)) {}

mx::array Vocabulary::embed(const mx::array& ids) const { return scaled(embedding_(ids), factor_); }

mx::array Vocabulary::logits(const Normed& hidden) const {
  mx::array logits = head_.precise(hidden);
  if (cap_ != 0)
    return fused("CapLogits", capped_logits, {logits, mx::array(divisor_), mx::array(cap_)});
  if (divisor_ != 1)
    return fused("DivideLogits", divided, {logits, mx::array(divisor_, logits.dtype())});
  return mx::astype(logits, mx::float32);
}

}  // namespace llm_host
