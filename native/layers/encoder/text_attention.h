#pragma once

#include <string>
#include <vector>

#include "kernels/encoder_ops.h"
#include "layers/encoder/text_batch.h"
#include "layers/encoder/text_linear.h"
#include "layers/rope/rope_angles.h"

namespace llm_host {

// Self-attention in which every token of a text sees all of that text.
class TextAttention {
 public:
  struct Names {
    std::vector<std::string> projections;  // of queries, keys and values, or of all in one
    std::string output;
  };
  struct Options {
    int hidden;  // heads · head_dim
    int heads;
    bool bias = true;
    RopeAngles angles = {};  // of the positions in a text
  };
  TextAttention(WeightStore& weights, const Names& names, const Options& options);

  // x [rows, columns, hidden] -> the same shape, x added.
  mx::array operator()(const mx::array& x, const TextBatch& batch) const;

 private:
  // By MLX: projected [texts, longest, 3 · hidden] -> [texts, longest, hidden].
  mx::array attend(const mx::array& projected, const TextBatch& batch) const;

  cpu::Rotation rotation() const {
    return {angles_.frequencies, angles_.amplitude, angles_.interleaved};
  }

  TextLinear projections_, output_;
  RopeAngles angles_;
  cpu::TextAttentionShape shape_;
};

}  // namespace llm_host
