#include "layers/moe.h"

#include "common/error.h"
#include "weights/join.h"

namespace llm_host {
namespace {

// From this many rows on, sort them by expert, so that each expert's weights are read once.
constexpr int kSortFrom = 64;

mx::array evaluated(mx::array x) {
  x = mx::contiguous(x);
  x.eval();
  return x;
}

// Alternating rows of gate and up -> all of gate's rows, then up's.
Matrix gate_then_up(const WeightStore& weights, const std::string& name, const Matrix& m,
                    int rows) {
  return concatenate(name, {m.rows(0, rows, 2), m.rows(1, rows, 2)}, weights.where());
}

mx::array gate_then_up(const mx::array& bias) {  // [E, 2I]
  int experts = bias.shape(0), middle = bias.shape(1) / 2;
  mx::array pairs = mx::reshape(bias, {experts, middle, 2});
  return evaluated(mx::reshape(mx::swapaxes(pairs, 1, 2), bias.shape()));
}

}  // namespace

Experts::Experts(WeightStore& weights, const std::string& path, const Shape& shape)
    : shape_(shape), stacks_(read(weights, path, shape)) {}

Experts::Stacks Experts::read(WeightStore& weights, const std::string& path, const Shape& shape) {
  std::string experts = path + ".experts";
  for (const std::string& stack : {path + ".switch_mlp", experts}) {
    if (weights.has(stack + ".gate_proj.weight")) return read_separate(weights, stack, shape);
  }
  static constexpr const char* kNames[][3] = {{"gate_proj", "up_proj", "down_proj"},
                                              {"w1", "w3", "w2"}};
  for (const auto& names : kNames) {
    if (weights.has(experts + ".0." + names[0] + ".weight")) {
      return read_single(weights, experts, shape, names);
    }
  }
  if (shape.interleaved) return read_gpt_oss(weights, experts, shape);
  // With ".weight" if this program quantized and saved it.
  std::string fused = experts + ".gate_up_proj";
  if (weights.has(fused) || weights.has(fused + ".weight")) {
    return read_fused(weights, fused, experts + ".down_proj", shape);
  }
  if (weights.has(path + ".input_linear.weight")) {
    return read_fused(weights, path + ".input_linear", path + ".output_linear", shape);
  }
  throw Error(kModelBroken, "the weights have no experts below " + path +
                                "; looked for switch_mlp.gate_proj.weight, "
                                "experts.gate_proj.weight, experts.0.gate_proj.weight, "
                                "experts.0.w1.weight, experts.gate_up_proj, input_linear.weight" +
                                weights.where());
}

Experts::Stacks Experts::read_separate(WeightStore& weights, const std::string& path,
                                       const Shape& s) {
  Matrix gate = weights.experts(path + ".gate_proj", s.experts, s.intermediate, s.hidden);
  Matrix up = weights.experts(path + ".up_proj", s.experts, s.intermediate, s.hidden);
  Matrix down = weights.experts(path + ".down_proj", s.experts, s.hidden, s.intermediate);
  Stacks stacks{{concatenate(path + ".gate_proj and up_proj", {gate, up}, weights.where()), {}},
                {down, {}}};
  if (s.bias) {
    mx::array gate_bias = weights.tensor(path + ".gate_proj.bias", {s.experts, s.intermediate});
    mx::array up_bias = weights.tensor(path + ".up_proj.bias", {s.experts, s.intermediate});
    stacks.gate_up.bias = evaluated(mx::concatenate({gate_bias, up_bias}, 1));
    stacks.down.bias = weights.tensor(path + ".down_proj.bias", {s.experts, s.hidden});
  }
  return stacks;
}

Experts::Stacks Experts::read_single(WeightStore& weights, const std::string& path, const Shape& s,
                                     const char* const (&names)[3]) {
  std::vector<Matrix> gates, downs;
  for (int e = 0; e < s.experts; ++e) {
    std::string expert = path + "." + std::to_string(e) + ".";
    Matrix gate = weights.matrix(expert + names[0], s.intermediate, s.hidden);
    Matrix up = weights.matrix(expert + names[1], s.intermediate, s.hidden);
    std::string both = expert + names[0] + " and " + names[1];
    gates.push_back(concatenate(both, {gate, up}, weights.where()));
    downs.push_back(weights.matrix(expert + names[2], s.hidden, s.intermediate));
  }
  return {{stack("gate and up of " + path, gates, weights.where()), {}},
          {stack("down of " + path, downs, weights.where()), {}}};
}

Experts::Stacks Experts::read_fused(WeightStore& weights, const std::string& gate_up,
                                    const std::string& down, const Shape& s) {
  return {{weights.experts(gate_up, s.experts, 2 * s.intermediate, s.hidden), {}},
          {weights.experts(down, s.experts, s.hidden, s.intermediate), {}}};
}

Experts::Stacks Experts::read_gpt_oss(WeightStore& weights, const std::string& path,
                                      const Shape& s) {
  std::string gate_up = path + ".gate_up_proj", down = path + ".down_proj";
  int wide = 2 * s.intermediate;
  bool packed = weights.has(gate_up + "_blocks");
  auto matrix = [&](const std::string& name, int out, int in) {
    // As this program saves it after quantizing.
    if (weights.has(name + ".weight")) return weights.experts(name, s.experts, out, in);
    return packed ? weights.mxfp4_experts(name, s.experts, out, in)
                  : weights.transposed_experts(name, s.experts, out, in);
  };
  return {{gate_then_up(weights, gate_up, matrix(gate_up, wide, s.hidden), wide),
           gate_then_up(weights.tensor(gate_up + "_bias", {s.experts, wide}))},
          {matrix(down, s.hidden, s.intermediate),
           weights.tensor(down + "_bias", {s.experts, s.hidden})}};
}

mx::array Experts::operator()(const mx::array& x, const Routing& routing) const {
  if (cpu::usable()) {
    auto weight_of = [](const Stack& s) {
      const Matrix& m = s.matrix;
      return cpu::ExpertWeight{m.weight, m.scales, m.biases, s.bias, m.group_size, m.bits};
    };
    cpu::ExpertWeight gate_up = weight_of(stacks_.gate_up), down = weight_of(stacks_.down);
    if (cpu::supports(gate_up) && cpu::supports(down)) {
      mx::array ids = mx::contiguous(routing.experts), weights = mx::contiguous(routing.weights);
      return cpu::experts(x, ids, weights, gate_up, down, shape_.activation);
    }
  }
  return mx::reshape(gather(mx::reshape(x, {-1, shape_.hidden}), routing), x.shape());
}

mx::array Experts::gather(const mx::array& x, const Routing& routing) const {
  int length = x.shape(0), per_token = routing.experts.shape(-1), count = length * per_token;
  mx::array experts = mx::reshape(routing.experts, {count});
  mx::array order = mx::arange(0, count, mx::uint32);
  bool sorted = count >= kSortFrom;
  if (sorted) order = mx::argsort(experts);
  mx::array tokens = mx::floor_divide(order, mx::array(per_token, mx::uint32));
  if (sorted) experts = mx::take(experts, order, 0);
  mx::array rows = mx::expand_dims(mx::take(x, tokens, 0), 1);  // [count, 1, hidden]
  mx::array middle = activate(multiply(stacks_.gate_up, rows, experts, sorted));
  mx::array y = multiply(stacks_.down, middle, experts, sorted);
  if (sorted) y = mx::take(y, mx::argsort(order), 0);
  y = mx::reshape(y, {length, per_token, shape_.hidden});
  mx::array weights = mx::reshape(routing.weights, {length, per_token, 1});
  return mx::sum(mx::multiply(y, weights), 1);
}

mx::array Experts::multiply(const Stack& stack, const mx::array& x, const mx::array& experts,
                            bool sorted) {
  const Matrix& m = stack.matrix;
  mx::array y =
      m.scales ? mx::gather_qmm(x, m.weight, *m.scales, m.biases, std::nullopt, experts, true,
                                m.group_size, m.bits, m.mode, std::nullopt, sorted)
               : mx::gather_mm(x, mx::swapaxes(m.weight, -1, -2), std::nullopt, experts, sorted);
  return stack.bias ? mx::add(y, mx::expand_dims(mx::take(*stack.bias, experts, 0), 1)) : y;
}

mx::array Experts::activate(const mx::array& gate_up) const {
  std::vector<mx::array> parts = mx::split(gate_up, 2, -1);
  const mx::array &gate = parts[0], &up = parts[1];
  float limit = shape_.activation.limit;
  if (limit == 0) return mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up);
  auto scalar = [&](float value) { return mx::array(value, gate.dtype()); };
  mx::array g = mx::minimum(gate, scalar(limit));
  mx::array u = mx::clip(up, scalar(-limit), scalar(limit));
  mx::array glu = mx::multiply(g, mx::sigmoid(mx::multiply(scalar(shape_.activation.alpha), g)));
  return mx::multiply(glu, mx::add(u, scalar(1)));
}

}  // namespace llm_host
