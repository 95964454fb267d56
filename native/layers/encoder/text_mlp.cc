#include "layers/encoder/text_mlp.h"

#include <cmath>

#include "common/error.h"
#include "kernels/base/cpu_op.h"
#include "kernels/encoder_ops.h"

namespace llm_host {
namespace {

mx::array scalar(float value, const mx::array& like) { return mx::array(value, like.dtype()); }

mx::array exact_gelu(const mx::array& x) {
  if (cpu::usable()) return cpu::gelu(x);
  mx::array tail = mx::add(scalar(1, x), mx::erf(mx::multiply(x, scalar(std::sqrt(0.5f), x))));
  return mx::multiply(mx::multiply(x, scalar(0.5f, x)), tail);
}

mx::array gelu_by_tanh(const mx::array& x) {
  mx::array cube = mx::multiply(mx::multiply(mx::multiply(x, x), x), scalar(0.044715f, x));
  mx::array inner = mx::multiply(mx::add(x, cube), scalar(0.7978845608f, x));
  return mx::multiply(mx::multiply(x, scalar(0.5f, x)), mx::add(scalar(1, x), mx::tanh(inner)));
}

mx::array relu(const mx::array& x) { return mx::maximum(x, scalar(0, x)); }

}  // namespace

TextMlp::Function TextMlp::function_of(const std::string& name) {
  if (name == "gelu") return exact_gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return gelu_by_tanh;
  if (name == "relu") return relu;
  throw Error(kModelUnsupported, "config.json: hidden_act \"" + name +
                                     "\" is not supported; supported are: gelu, gelu_new, "
                                     "gelu_pytorch_tanh, relu");
}

TextMlp::TextMlp(WeightStore& weights, const Names& names, int hidden, int intermediate,
                 const std::string& activation)
    : up_(weights, {names.up}, intermediate, hidden),
      down_(weights, {names.down}, hidden, intermediate),
      activation_(function_of(activation)) {}

mx::array TextMlp::operator()(const mx::array& x) const { return down_(activation_(up_(x)), x); }

}  // namespace llm_host
