#include "layers/mlp.h"

#include "common/error.h"
#include "common/launch_groups.h"
#include "kernels/ops.h"

namespace llm_host {

namespace {

std::vector<mx::array> swiglu(const std::vector<mx::array>& in) {
  const mx::array &gate = in[0], &up = in[1];
  return {mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up)};
}

std::vector<mx::array> geglu(const std::vector<mx::array>& in) {
  return {mx::multiply(gelu_tanh(in[0]), in[1])};
}

}  // namespace

mx::array gelu_tanh(const mx::array& x) {
  auto scalar = [&](float value) { return mx::array(value, x.dtype()); };
  mx::array cube = mx::multiply(scalar(0.044715f), mx::power(x, scalar(3)));
  mx::array bend = mx::tanh(mx::multiply(scalar(0.7978845608f), mx::add(x, cube)));
  return mx::multiply(mx::multiply(scalar(0.5f), x), mx::add(scalar(1), bend));
}

Activation activation_of(const std::string& name) {
  if (name == "silu" || name == "swish") return Activation::kSilu;
  if (name == "gelu_pytorch_tanh" || name == "gelu_new") return Activation::kGeluTanh;
  throw Error(kModelUnsupported, "config.json: hidden_act \"" + name +
                                     "\" is not supported; supported are: silu, swish, "
                                     "gelu_pytorch_tanh, gelu_new");
}

mx::array gated(Activation activation, const mx::array& gate, const mx::array& up) {
  bool silu = activation == Activation::kSilu;
  if (cpu::usable()) return silu ? cpu::swiglu(gate, up) : cpu::geglu(gate, up);
  if (silu) return fused("SwiGlu", swiglu, {gate, up});
  return fused("GeGlu", geglu, {gate, up}, gate.shape(-2) == 1 ? Shapes::kThese : Shapes::kAny);
}

Mlp::Mlp(WeightStore& weights, const std::string& path, const MlpOptions& o)
    : activation_(o.activation),
      whole_blocks_(o.intermediate % PackedMatrix::kBlockRows == 0),
      down_(Linear::load(weights, path + "." + o.down, o.hidden, o.intermediate, o.bias)) {
  auto load = [&](const char* name, int rows) {
    return Linear::load(weights, path + "." + name, rows, o.hidden, o.bias);
  };
  if (weights.has(path + "." + o.fused + ".weight")) {
    fused_ = load(o.fused, 2 * o.intermediate);
  } else {
    gate_ = load(o.gate, o.intermediate);
    up_ = load(o.up, o.intermediate);
    fused_ = Linear::join({*gate_, *up_});
    if (fused_) {
      gate_.reset();
      up_.reset();
    }
  }
}

bool Mlp::packed() const {
  if (!down_.packed()) return false;
  return fused_ ? fused_->packed() && whole_blocks_ : gate_->packed() && up_->packed();
}

mx::array Mlp::inner(const mx::array& x) const {
  if (!fused_) return gated(activation_, (*gate_)(x), (*up_)(x));
  std::vector<mx::array> parts = mx::split((*fused_)(x), 2, -1);
  // Only the CPU's kernels cannot read a part of each row.
  auto readable = [](const mx::array& a) { return cpu::usable() ? mx::contiguous(a) : a; };
  return gated(activation_, readable(parts[0]), readable(parts[1]));
}

mx::array Mlp::operator()(const mx::array& x) const { return down_(inner(x)); }

mx::array Mlp::operator()(const Normed& x, const std::optional<mx::array>& residual) const {
  if (!packed()) {
    mx::array y = down_(inner(x.value()));
    return residual ? mx::add(*residual, y) : y;
  }
  cpu::Operand input = normalised(x);
  cpu::Gate gate = activation_ == Activation::kSilu ? cpu::Gate::kSwiGlu : cpu::Gate::kGeGlu;
  mx::array inner = fused_ ? Linear::apply_gated({*fused_}, input, gate)
                           : Linear::apply_gated({*gate_, *up_}, input, gate);
  return Linear::apply({down_}, cpu::Operand(inner), residual);
}

}  // namespace llm_host
