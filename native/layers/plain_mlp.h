#pragma once

#include <functional>

#include "layers/linear.h"

namespace llm_host {

// gelu(x) by its tanh approximation.
mx::array gelu(const mx::array& x);

// relu(x)²
mx::array relu_squared(const mx::array& x);

// xIELU (https://arxiv.org/abs/2411.13010), an activation with two learned slopes.
class XieLu {
 public:
  // As a checkpoint has them: the slopes before their softplus.
  struct Numbers {
    float alpha_p, alpha_n, beta, eps;
  };
  XieLu(const Numbers& numbers, mx::Dtype dtype);
  // Reads the tensors `path`.{alpha_p, alpha_n, beta, eps}.
  static Numbers read(WeightStore& weights, const std::string& path);

  mx::array operator()(const mx::array& x) const;

 private:
  std::vector<mx::array> parameters_;  // as in kernels/ops.h, [1] each
  mx::array together_;                 // the same [4], in float32
};

// down(activation(up x)), without a gate.
class PlainMlp {
 public:
  using Activation = std::function<mx::array(const mx::array&)>;
  PlainMlp(Linear up, Linear down, Activation activation)
      : up_(std::move(up)), down_(std::move(down)), activation_(std::move(activation)) {}

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x) const { return down_(activation_(up_(x))); }

 private:
  Linear up_, down_;
  Activation activation_;
};

}  // namespace llm_host
