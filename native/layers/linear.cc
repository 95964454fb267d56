#include "layers/linear.h"

#include "kernels/ops.h"

namespace llm_host {

Linear Linear::load(WeightStore& weights, const std::string& path, int out, int in, bool bias) {
  return complete(weights.matrix(path, out, in), weights, path, out, in, bias);
}

Linear Linear::load_router(WeightStore& weights, const std::string& path, int out, int in,
                           bool bias) {
  return complete(weights.router(path, out, in), weights, path, out, in, bias);
}

Linear Linear::complete(WeightStore::Matrix matrix, WeightStore& weights, const std::string& path,
                        int out, int in, bool bias) {
  Linear linear(std::move(matrix));
  if (bias) linear.bias_ = weights.vector(path + ".bias", out);
  linear.add_adapter(weights, path, out, in);
  return linear;
}

Linear Linear::load_rotary(WeightStore& weights, const std::string& path, int heads, int head_dim,
                           int in, bool bias) {
  Linear linear = load(weights, path, heads * head_dim, in, bias);
  if (weights.gguf()) {
    linear.weight_ = WeightStore::unpermute(linear.weight_, heads, head_dim);
    if (linear.bias_) linear.bias_ = WeightStore::unpermute(*linear.bias_, heads, head_dim);
  }
  return linear;
}

void Linear::add_adapter(WeightStore& weights, const std::string& path, int out, int in) {
  auto adapter = weights.adapter(path, out, in);
  if (!adapter) return;
  down_ = adapter->down;
  up_ = adapter->up;
}

mx::array Linear::multiply(const mx::array& x) const {
  const auto& w = weight_;
  cpu::Weight cpu_weight{w.weight, w.scales, w.biases, w.group_size, w.bits, down_, up_};
  if (cpu::usable() && cpu::supports(cpu_weight)) return cpu::linear(x, cpu_weight);
  mx::array y = w.multiply(x);
  if (down_) y = mx::add(y, mx::matmul(mx::matmul(x, mx::transpose(*down_)), *up_));
  return y;
}

mx::array Linear::operator()(const mx::array& x) const {
  mx::array y = multiply(x);
  return bias_ ? mx::add(y, *bias_) : y;
}

}  // namespace llm_host
