#include "layers/plain_mlp.h"

#include "common/error.h"
#include "common/launch_groups.h"
#include "kernels/ops.h"
#include "layers/mlp.h"

namespace llm_host {
namespace {

std::vector<mx::array> gelu_in_graph(const std::vector<mx::array>& in) {
  return {gelu_tanh(in[0])};
}

std::vector<mx::array> relu_squared_in_graph(const std::vector<mx::array>& in) {
  return {mx::square(mx::maximum(in[0], mx::array(0.0f, in[0].dtype())))};
}

// p as in kernels/ops.h, but each by itself.
std::vector<mx::array> xielu_in_graph(const std::vector<mx::array>& in) {
  const mx::array &x = in[0], &positive = in[1], &negative = in[2], &beta = in[3], &eps = in[4];
  mx::array right = mx::multiply(positive, mx::square(x));
  mx::array left = mx::multiply(mx::subtract(mx::expm1(mx::minimum(x, eps)), x), negative);
  mx::array zero(0.0f, x.dtype());
  return {mx::add(mx::where(mx::greater(x, zero), right, left), mx::multiply(beta, x))};
}

// A single number, of shape [] or [1].
float number(WeightStore& weights, const std::string& name) {
  mx::array value = weights.tensor(name, weights.shape(name));
  if (value.size() == 1) return mx::astype(value, mx::float32).item<float>();
  throw Error(kModelBroken, "tensor " + name + " must hold one number");
}

mx::array softplus(const mx::array& x) { return mx::logaddexp(x, mx::array(0.0f)); }

// Kernels for a single token are few enough.
Shapes shapes_of(const mx::array& x) { return x.shape(-2) == 1 ? Shapes::kThese : Shapes::kAny; }

}  // namespace

mx::array gelu(const mx::array& x) {
  return cpu::usable() ? cpu::gelu_tanh(x) : fused("Gelu", gelu_in_graph, {x}, shapes_of(x));
}

mx::array relu_squared(const mx::array& x) {
  return cpu::usable() ? cpu::relu_squared(x) : fused("Relu2", relu_squared_in_graph, {x});
}

XieLu::Numbers XieLu::read(WeightStore& weights, const std::string& path) {
  auto read = [&](const char* name) { return number(weights, path + "." + name); };
  return {read("alpha_p"), read("alpha_n"), read("beta"), read("eps")};
}

XieLu::XieLu(const Numbers& numbers, mx::Dtype dtype) : together_(mx::zeros({4})) {
  auto one = [](float value) { return mx::reshape(mx::array(value), {1}); };
  mx::array beta = one(numbers.beta), eps = one(numbers.eps);
  mx::array positive = softplus(one(numbers.alpha_p));
  mx::array negative = mx::add(beta, softplus(one(numbers.alpha_n)));
  together_ = mx::concatenate({positive, negative, beta, eps}, 0);
  together_.eval();
  for (const mx::array& each : {positive, negative, beta, eps}) {
    parameters_.push_back(mx::astype(each, dtype));
    parameters_.back().eval();
  }
}

mx::array XieLu::operator()(const mx::array& x) const {
  if (cpu::usable()) return cpu::xielu(x, together_);
  std::vector<mx::array> inputs{x};
  inputs.insert(inputs.end(), parameters_.begin(), parameters_.end());
  return fused("XieLu", xielu_in_graph, inputs, shapes_of(x));
}

}  // namespace llm_host
