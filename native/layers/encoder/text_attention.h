#pragma once

#include <string>

#include "kernels/encoder_ops.h"
#include "layers/encoder/text_batch.h"
#include "layers/encoder/text_linear.h"

namespace llm_host {

// Self-attention in which every token of a text sees all of that text.
class TextAttention {
 public:
  struct Names {
    std::string query, key, value, output;
  };
  // hidden = heads · head_dim
  TextAttention(WeightStore& weights, const Names& names, int hidden, int heads);

  // x [rows, columns, hidden] -> the same shape, x added.
  mx::array operator()(const mx::array& x, const TextBatch& batch) const;

 private:
  // By MLX: projected [texts, longest, 3 · hidden] -> [texts, longest, hidden].
  mx::array attend(const mx::array& projected, const TextBatch& batch) const;

  TextLinear projections_, output_;
  cpu::TextAttentionShape shape_;
};

}  // namespace llm_host
