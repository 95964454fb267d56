#include "models/vocabulary.h"

namespace llm_host {
namespace {

// x · factor in float32, rounded once: 0.22 rounded to bfloat16 would be off by 0.1 %.
mx::array scaled(const mx::array& x, float factor) {
  if (factor == 1) return x;
  mx::array product = mx::multiply(mx::astype(x, mx::float32), mx::array(factor));
  return mx::astype(product, x.dtype());
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

}  // namespace

Vocabulary::Vocabulary(const Config& config, const DecoderConfig& c, WeightStore& weights)
    : factor_(c.embedding_factor),
      divisor_(c.logit_divisor),
      cap_(c.logit_cap),
      embedding_(WeightMatrix(
          weights.matrix("model.embed_tokens", c.vocab, c.hidden, weights.packed()), weights)),
      head_(head_of(config, c, weights, embedding_)) {}

mx::array Vocabulary::embed(const mx::array& ids) const { return scaled(embedding_(ids), factor_); }

mx::array Vocabulary::logits(const Normed& hidden) const {
  mx::array logits = head_.packed() ? Linear::apply({head_}, normalised(hidden))
                                    : mx::astype(head_(hidden.value()), mx::float32);
  if (divisor_ != 1) logits = mx::divide(logits, mx::array(divisor_));
  if (cap_ == 0) return logits;
  mx::array cap(cap_);
  return mx::multiply(mx::tanh(mx::divide(logits, cap)), cap);
}

}  // namespace llm_host
