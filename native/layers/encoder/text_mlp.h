#pragma once

#include <string>

#include "layers/encoder/text_linear.h"
#include "layers/mlp.h"

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
  using Function = mx::array (*)(const mx::array&);
  static Function function_of(const std::string& name);

  TextLinear up_, down_;
  Function activation_;
};

// down(activation(gate x) · up x) + x, without biases
class TextGatedMlp {
 public:
  struct Names {
    std::string gate, up, down;
  };
  TextGatedMlp(WeightStore& weights, const Names& names, int hidden, int intermediate,
               Activation activation)
      : gate_(weights, {names.gate}, intermediate, hidden, false),
        up_(weights, {names.up}, intermediate, hidden, false),
        down_(weights, {names.down}, hidden, intermediate, false),
        activation_(activation) {}

  // x [rows, columns, hidden] -> the same shape
  mx::array operator()(const mx::array& x) const {
    return down_(gated(activation_, gate_(x), up_(x)), x);
  }

 private:
  TextLinear gate_, up_, down_;
  Activation activation_;
};

}  // namespace llm_host
