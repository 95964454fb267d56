#pragma once

#include <string>

#include "layers/encoder/text_linear.h"

namespace llm_host {

// down(activation(up x)) + x
class TextMlp {
 public:
  struct Names {
    std::string up, down;
  };
  // `activation`: config.json's hidden_act. Throws MODEL_UNSUPPORTED and lists the supported names.
  TextMlp(WeightStore& weights, const Names& names, int hidden, int intermediate,
          const std::string& activation);

  // x [rows, columns, hidden] -> the same shape
  mx::array operator()(const mx::array& x) const;

 private:
  using Activation = mx::array (*)(const mx::array&);
  static Activation activation_of(const std::string& name);

  TextLinear up_, down_;
  Activation activation_;
};

}  // namespace llm_host
