#include "layers/linear.h"

#include "kernels/ops.h"
#include "weights/unpermute.h"

namespace llm_host {

WeightMatrix::WeightMatrix(Matrix stored, WeightStore& weights) {
  if (weights.packed()) {
    packed_ = cpu::Packed::pack(weights.arena(), stored.weight, stored.scales, stored.biases,
                                stored.group_size, stored.bits);
  }
  if (packed_) {
    weights.drop(stored);
    return;
  }
  if (!stored.quantized()) {
    stored.weight = mx::astype(stored.weight, stored.dtype);
    stored.weight.eval();
  }
  stored_ = std::move(stored);
}

mx::array WeightMatrix::take(const mx::array& ids) const {
  return packed_ ? cpu::packed_rows(*packed_, ids) : stored_->take(ids);
}

std::optional<mx::array> Linear::bias_of(WeightStore& weights, const std::string& path, int out,
                                         bool bias) {
  return bias ? std::optional(weights.vector(path + ".bias", out)) : std::nullopt;
}

Linear Linear::load(WeightStore& weights, const std::string& path, int out, int in, bool bias) {
  WeightMatrix matrix(weights.matrix(path, out, in, weights.packed()), weights);
  return complete(std::move(matrix), bias_of(weights, path, out, bias), weights, path, out, in);
}

Linear Linear::load_router(WeightStore& weights, const std::string& path, int out, int in,
                           bool bias) {
  WeightMatrix matrix(weights.router(path, out, in));
  return complete(std::move(matrix), bias_of(weights, path, out, bias), weights, path, out, in);
}

Linear Linear::load_rotary(WeightStore& weights, const std::string& path, int heads, int head_dim,
                           int in, bool bias) {
  int out = heads * head_dim;
  Matrix matrix = weights.matrix(path, out, in, weights.packed());
  std::optional<mx::array> offset = bias_of(weights, path, out, bias);
  if (weights.gguf()) {
    matrix = unpermute(matrix, heads, head_dim);
    if (offset) offset = unpermute(*offset, heads, head_dim);
  }
  WeightMatrix ready(std::move(matrix), weights);
  return complete(std::move(ready), std::move(offset), weights, path, out, in);
}

Linear Linear::complete(WeightMatrix matrix, std::optional<mx::array> bias, WeightStore& weights,
                        const std::string& path, int out, int in) {
  Linear linear(std::move(matrix));
  linear.bias_ = std::move(bias);
  if (auto adapter = weights.adapter(path, out, in)) {
    linear.down_ = adapter->down;
    linear.up_ = adapter->up;
  }
  return linear;
}

mx::array Linear::multiply(const mx::array& x) const {
  const Matrix& w = weight_.stored();
  cpu::Weight cpu_weight{w.weight, w.scales, w.biases, w.group_size, w.bits, down_, up_};
  if (cpu::usable() && cpu::supports(cpu_weight)) return cpu::linear(x, cpu_weight);
  mx::array y = w.multiply(x);
  if (down_) y = mx::add(y, mx::matmul(mx::matmul(x, mx::transpose(*down_)), *up_));
  return y;
}

mx::array Linear::operator()(const mx::array& x) const {
  if (packed()) return apply({*this}, cpu::Operand{x});
  mx::array y = multiply(x);
  return bias_ ? mx::add(y, *bias_) : y;
}

std::vector<cpu::PackedPart> Linear::matrices(const Parts& parts) {
  std::vector<cpu::PackedPart> matrices;
  for (const Linear& part : parts) {
    matrices.push_back({*part.weight_.packed(), part.bias_, part.down_, part.up_});
  }
  return matrices;
}

mx::array Linear::apply(const Parts& parts, const cpu::Operand& operand,
                        const std::optional<mx::array>& residual) {
  return cpu::packed_linear(operand, matrices(parts), residual);
}

mx::array Linear::apply_gated(const Parts& parts, const cpu::Operand& operand, cpu::Gate gate) {
  return cpu::packed_gated(operand, matrices(parts), gate);
}

cpu::Operand normalised(const Normed& x) {
  cpu::Operand operand(x.x);
  operand.norm_weight = x.norm.weight();
  operand.eps = x.norm.eps();
  return operand;
}

}  // namespace llm_host
