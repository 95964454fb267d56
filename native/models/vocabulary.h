#pragma once

#include "layers/linear.h"
#include "models/decoder_config.h"

namespace llm_host {

// x times `factor`, in x's type; x itself for 1.
mx::array scaled(const mx::array& x, float factor);

// The embedding and the output head, which may be the same matrix.
class Vocabulary {
 public:
  // Reads the embedding, and lm_head unless the two are tied: if config.json says so, or if it
  // does not say and there is no lm_head.
  Vocabulary(const Config& config, const DecoderConfig& c, WeightStore& weights);

  // ids [1, L] -> [1, L, H], times `embedding_factor`
  mx::array embed(const mx::array& ids) const;
  // hidden [1, L, H] -> float32 logits [1, L, V], divided and capped
  mx::array logits(const Normed& hidden) const;

 private:
  float factor_, divisor_, cap_;
  Embedding embedding_;
  Linear head_;
};

}  // namespace llm_host
