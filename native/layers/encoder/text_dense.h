#pragma once

#include <string>

#include "layers/encoder/text_linear.h"
#include "weights/load_spec.h"

namespace llm_host {

// A matrix behind the pooling, with an activation: `path`.weight [out, in], and .bias.
class TextDense {
 public:
  // Throws MODEL_UNSUPPORTED for an unknown activation.
  TextDense(WeightStore& weights, const std::string& path, const DenseSpec& spec, int in);

  // x [texts, in] -> [texts, out]
  mx::array operator()(const mx::array& x) const;

 private:
  TextLinear linear_;
  bool tanh_;
};

}  // namespace llm_host
