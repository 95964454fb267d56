#include "layers/encoder/text_linear.h"

#include "kernels/ops.h"
#include "kernels/packed/rounded_linear.h"
#include "weights/join.h"

namespace llm_host {

TextLinear::TextLinear(WeightStore& weights, const std::vector<std::string>& paths, int out, int in,
                       bool bias) {
  std::vector<Matrix> parts;
  std::vector<mx::array> biases;
  for (const std::string& path : paths) {
    parts.push_back(weights.matrix(path, out, in));
    if (bias) biases.push_back(weights.vector(path + ".bias", out));
  }
  stored_ = parts.size() == 1 ? parts.front() : concatenate(paths.front(), parts, weights.where());
  if (bias) {
    bias_ = mx::concatenate(biases, 0);
    bias_->eval();
  }
  if (weights.packed()) pack(weights, parts);
}

void TextLinear::pack(WeightStore& weights, const std::vector<Matrix>& parts) {
  const Matrix& m = *stored_;
  mx::array weight = m.quantized() ? m.weight : mx::astype(m.weight, mx::bfloat16);
  weight.eval();
  packed_ = cpu::Packed::pack(weights.arena(), weight, m.scales, m.biases, m.group_size, m.bits);
  if (!packed_) return;
  for (const Matrix& part : parts) weights.drop(part);
  stored_.reset();
}

mx::array TextLinear::multiply(const mx::array& x) const {
  const Matrix& w = *stored_;
  std::optional<mx::array> none;
  cpu::Weight cpu_weight{w.weight, w.scales, w.biases, w.group_size, w.bits, none, none};
  bool own = cpu::usable() && cpu::supports(cpu_weight);
  if (!own && !w.quantized() && bias_) return mx::addmm(*bias_, x, mx::transpose(w.weight));
  mx::array y = own ? cpu::linear(x, cpu_weight) : w.multiply(x);
  return bias_ ? mx::add(y, *bias_) : y;
}

mx::array TextLinear::operator()(const mx::array& x,
                                 const std::optional<mx::array>& residual) const {
  if (packed_ && cpu::rounds_activations(*packed_)) {
    return cpu::rounded_linear(x, *packed_, bias_, residual);
  }
  if (packed_) {
    std::optional<mx::array> none;
    cpu::PackedPart part{*packed_, bias_, none, none};
    cpu::Operand operand(x);
    // Texts are compared by small differences of their vectors.
    operand.fine_above = 0;
    return cpu::packed_linear(operand, {&part, 1}, residual);
  }
  mx::array y = multiply(x);
  return residual ? mx::add(y, *residual) : y;
}

}  // namespace llm_host
