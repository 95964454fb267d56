#include "layers/moe.h"

#include <numeric>

#include "common/error.h"
#include "common/launch_groups.h"
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

using Arrays = std::vector<mx::array>;

// gate and up, each with its bias if there are biases: in[i] and in[i + 2].
mx::array biased(const Arrays& in, size_t i, size_t others) {
  return in.size() - others == 4 ? mx::add(in[i], in[i + 2]) : in[i];
}

Arrays swiglu(const Arrays& in) {
  mx::array gate = biased(in, 0, 0), up = biased(in, 1, 0);
  return {mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up)};
}

// And then limit, −limit, alpha and 1.
Arrays clipped_swiglu(const Arrays& in) {
  const mx::array* scalars = in.data() + in.size() - 4;
  mx::array gate = mx::minimum(biased(in, 0, 4), scalars[0]);
  mx::array up = mx::clip(biased(in, 1, 4), scalars[1], scalars[0]);
  mx::array glu = mx::multiply(gate, mx::sigmoid(mx::multiply(scalars[2], gate)));
  return {mx::multiply(glu, mx::add(up, scalars[3]))};
}

// y [.., out], weights [.., 1] and the bias of each y if there is one.
Arrays weighted(const Arrays& in) {
  mx::array y = in.size() == 3 ? mx::add(in[0], in[2]) : in[0];
  return {mx::multiply(y, mx::astype(in[1], y.dtype()))};
}

// 0, 1, 2, ... as data, which no kernel makes.
mx::array indices(mx::Shape shape) {
  int count = 1;
  for (int size : shape) count *= size;
  std::vector<uint32_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0u);
  return mx::array(values.begin(), std::move(shape), mx::uint32);
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

// Below which gate_proj, up_proj and down_proj have one tensor each for all experts.
std::optional<std::string> separate_path(const WeightStore& weights, const std::string& path) {
  for (const char* name : {".switch_mlp", ".experts"}) {
    if (weights.has(path + name + ".gate_proj.weight")) return path + name;
  }
  return std::nullopt;
}

struct FusedPaths {
  std::string gate_up, down;
};

// Of gate and up as one tensor.
std::optional<FusedPaths> fused_paths(const WeightStore& weights, const std::string& path) {
  // With ".weight" if this program quantized and saved it.
  std::string fused = path + ".experts.gate_up_proj";
  if (weights.has(fused) || weights.has(fused + ".weight")) {
    return FusedPaths{fused, path + ".experts.down_proj"};
  }
  if (!weights.has(path + ".input_linear.weight")) return std::nullopt;
  return FusedPaths{path + ".input_linear", path + ".output_linear"};
}

}  // namespace

Experts::Experts(WeightStore& weights, const std::string& path, const Shape& shape)
    : shape_(shape), stacks_(no_matrices()) {
  if (packs(weights, shape) && pack_while_reading(weights, path)) return;
  stacks_ = read(weights, path, shape);
  if (packs(weights, shape)) pack(weights);
}

Experts::Stacks Experts::no_matrices() {
  Matrix none{mx::array(0.0f), std::nullopt, std::nullopt};
  return {{none, std::nullopt}, {none, std::nullopt}};
}

bool Experts::pack_while_reading(WeightStore& weights, const std::string& path) {
  std::optional<std::string> separate = separate_path(weights, path);
  std::optional<FusedPaths> fused = fused_paths(weights, path);
  if (!separate && (!fused || shape_.interleaved)) return false;
  auto packed = [&](const std::vector<std::string>& paths, int out, int in) {
    return weights.packed_experts(paths, shape_.experts, out, in);
  };
  int middle = shape_.intermediate, hidden = shape_.hidden;
  std::optional<cpu::Packed> gate_up =
      separate ? packed({*separate + ".gate_proj", *separate + ".up_proj"}, middle, hidden)
               : packed({fused->gate_up}, 2 * middle, hidden);
  if (!gate_up) return false;
  // Both or neither: the kernels take them together.
  std::optional<cpu::Packed> down =
      packed({separate ? *separate + ".down_proj" : fused->down}, hidden, middle);
  if (!down) return false;
  if (separate) read_biases(weights, *separate, shape_, stacks_);
  packed_.emplace(PackedStacks{std::move(*gate_up), std::move(*down)});
  return true;
}

bool Experts::packs(const WeightStore& weights, const Shape& shape) {
  // Each expert's rows must be whole blocks.
  constexpr int kRows = PackedMatrix::kBlockRows;
  return weights.packed() && 2 * shape.intermediate % kRows == 0 && shape.hidden % kRows == 0;
}

void Experts::pack(WeightStore& weights) {
  auto packed = [&](const Matrix& m) {
    auto flat = [](const mx::array& a) {
      mx::array rows = mx::contiguous(mx::reshape(a, {-1, a.shape(-1)}));
      rows.eval();
      return rows;
    };
    auto each = [&](const std::optional<mx::array>& a) {
      return a ? std::optional(flat(*a)) : std::nullopt;
    };
    return cpu::Packed::pack(weights.arena(), flat(m.weight), each(m.scales), each(m.biases),
                             m.group_size, m.bits);
  };
  // Both or neither: the kernels take them together, and they are stored alike.
  std::optional<cpu::Packed> first = packed(stacks_.gate_up.matrix);
  std::optional<cpu::Packed> second;
  if (first) second = packed(stacks_.down.matrix);
  std::initializer_list<Matrix*> both{&stacks_.gate_up.matrix, &stacks_.down.matrix};
  if (!second) {
    for (Matrix* matrix : both) {
      if (!matrix->quantized()) matrix->weight = evaluated(matrix->dequantize());
    }
    return;
  }
  for (Matrix* matrix : both) {
    weights.drop(*matrix);
    *matrix = no_matrices().down.matrix;
  }
  packed_.emplace(PackedStacks{std::move(*first), std::move(*second)});
}

Experts::Stacks Experts::read(WeightStore& weights, const std::string& path, const Shape& shape) {
  std::string experts = path + ".experts";
  if (auto separate = separate_path(weights, path)) return read_separate(weights, *separate, shape);
  static constexpr const char* kNames[][3] = {{"gate_proj", "up_proj", "down_proj"},
                                              {"w1", "w3", "w2"}};
  for (const auto& names : kNames) {
    if (weights.has(experts + ".0." + names[0] + ".weight")) {
      return read_single(weights, experts, shape, names);
    }
  }
  if (shape.interleaved) return read_gpt_oss(weights, experts, shape);
  if (auto fused = fused_paths(weights, path)) {
    return read_fused(weights, fused->gate_up, fused->down, shape);
  }
  throw Error(kModelBroken, "the weights have no experts below " + path +
                                "; looked for switch_mlp.gate_proj.weight, "
                                "experts.gate_proj.weight, experts.0.gate_proj.weight, "
                                "experts.0.w1.weight, experts.gate_up_proj, input_linear.weight" +
                                weights.where());
}

Experts::Stacks Experts::read_separate(WeightStore& weights, const std::string& path,
                                       const Shape& s) {
  auto matrix = [&](const char* name, int out, int in) {
    return weights.experts(path + name, s.experts, out, in, packs(weights, s));
  };
  Matrix gate = matrix(".gate_proj", s.intermediate, s.hidden);
  Matrix up = matrix(".up_proj", s.intermediate, s.hidden);
  Matrix down = matrix(".down_proj", s.hidden, s.intermediate);
  Stacks stacks{{concatenate(path + ".gate_proj and up_proj", {gate, up}, weights.where()), {}},
                {down, {}}};
  read_biases(weights, path, s, stacks);
  return stacks;
}

void Experts::read_biases(WeightStore& weights, const std::string& path, const Shape& s,
                          Stacks& stacks) {
  if (!s.bias) return;
  mx::array gate_bias = weights.tensor(path + ".gate_proj.bias", {s.experts, s.intermediate});
  mx::array up_bias = weights.tensor(path + ".up_proj.bias", {s.experts, s.intermediate});
  stacks.gate_up.bias = evaluated(mx::concatenate({gate_bias, up_bias}, 1));
  stacks.down.bias = weights.tensor(path + ".down_proj.bias", {s.experts, s.hidden});
}

Experts::Stacks Experts::read_single(WeightStore& weights, const std::string& path, const Shape& s,
                                     const char* const (&names)[3]) {
  std::vector<Matrix> gates, downs;
  for (int e = 0; e < s.experts; ++e) {
    std::string expert = path + "." + std::to_string(e) + ".";
    Matrix gate = weights.matrix(expert + names[0], s.intermediate, s.hidden, packs(weights, s));
    Matrix up = weights.matrix(expert + names[1], s.intermediate, s.hidden, packs(weights, s));
    std::string both = expert + names[0] + " and " + names[1];
    gates.push_back(concatenate(both, {gate, up}, weights.where()));
    downs.push_back(weights.matrix(expert + names[2], s.hidden, s.intermediate, packs(weights, s)));
  }
  return {{stack("gate and up of " + path, gates, weights.where()), {}},
          {stack("down of " + path, downs, weights.where()), {}}};
}

Experts::Stacks Experts::read_fused(WeightStore& weights, const std::string& gate_up,
                                    const std::string& down, const Shape& s) {
  bool as_stored = packs(weights, s);
  return {{weights.experts(gate_up, s.experts, 2 * s.intermediate, s.hidden, as_stored), {}},
          {weights.experts(down, s.experts, s.hidden, s.intermediate, as_stored), {}}};
}

Experts::Stacks Experts::read_gpt_oss(WeightStore& weights, const std::string& path,
                                      const Shape& s) {
  std::string gate_up = path + ".gate_up_proj", down = path + ".down_proj";
  int wide = 2 * s.intermediate;
  bool packed = weights.has(gate_up + "_blocks");
  auto matrix = [&](const std::string& name, int out, int in) {
    // As this program saves it after quantizing.
    bool as_stored = packs(weights, s);
    if (weights.has(name + ".weight")) return weights.experts(name, s.experts, out, in, as_stored);
    return packed ? weights.mxfp4_experts(name, s.experts, out, in)
                  : weights.transposed_experts(name, s.experts, out, in, as_stored);
  };
  return {{gate_then_up(weights, gate_up, matrix(gate_up, wide, s.hidden), wide),
           gate_then_up(weights.tensor(gate_up + "_bias", {s.experts, wide}))},
          {matrix(down, s.hidden, s.intermediate),
           weights.tensor(down + "_bias", {s.experts, s.hidden})}};
}

mx::array Experts::operator()(const mx::array& x, const Routing& routing) const {
  if (packed_) {
    mx::array ids = mx::contiguous(routing.experts), weights = mx::contiguous(routing.weights);
    return cpu::packed_experts(
        x, ids, weights, {packed_->gate_up, stacks_.gate_up.bias, 2 * shape_.intermediate},
        {packed_->down, stacks_.down.bias, shape_.hidden}, shape_.activation);
  }
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
  mx::array experts = mx::reshape(routing.experts, {length, per_token});
  mx::array y = [&] {
    if (count < kSortFrom) {
      return through({mx::reshape(x, {length, 1, 1, shape_.hidden}), experts, false});
    }
    mx::array all = mx::reshape(experts, {count}), order = mx::argsort(all);
    mx::array tokens = mx::floor_divide(order, mx::array(per_token, mx::uint32));
    mx::array rows = mx::expand_dims(mx::take(x, tokens, 0), 1);  // [count, 1, hidden]
    mx::array sorted = through({rows, mx::take(all, order, 0), true});
    return mx::take(sorted, mx::argsort(order), 0);
  }();
  mx::Shape each{length, per_token, shape_.hidden};
  Arrays inputs{mx::reshape(y, each), mx::reshape(routing.weights, {length, per_token, 1})};
  if (auto offsets = biases(stacks_.down, experts)) {
    inputs.push_back(mx::reshape(*offsets, each));
  }
  return mx::sum(fused("WeightExperts", weighted, inputs), 1);
}

mx::array Experts::through(const Chosen& c) const {
  mx::array middle = activate(multiply(stacks_.gate_up, c), biases(stacks_.gate_up, c.experts));
  return multiply(stacks_.down, {middle, c.experts, c.sorted});
}

mx::array Experts::multiply(const Stack& stack, const Chosen& c) {
  const Matrix& m = stack.matrix;
  std::optional<mx::array> row;  // MLX does not see that they are sorted if it gets this
  if (!c.sorted) row = indices({c.x.shape().begin(), c.x.shape().end() - 2});
  return m.scales ? mx::gather_qmm(c.x, m.weight, *m.scales, m.biases, row, c.experts, true,
                                   m.group_size, m.bits, m.mode, std::nullopt, c.sorted)
                  : mx::gather_mm(c.x, mx::swapaxes(m.weight, -1, -2), row, c.experts, c.sorted);
}

std::optional<mx::array> Experts::biases(const Stack& stack, const mx::array& experts) {
  if (!stack.bias) return std::nullopt;
  return mx::expand_dims(mx::take(*stack.bias, experts, 0), -2);
}

mx::array Experts::activate(const mx::array& gate_up,
                            const std::optional<mx::array>& biases) const {
  Arrays inputs = mx::split(gate_up, 2, -1);
  if (biases) {
    for (const mx::array& half : mx::split(*biases, 2, -1)) inputs.push_back(half);
  }
  float limit = shape_.activation.limit;
  if (limit == 0) return fused("SwiGlu", swiglu, inputs);
  for (float value : {limit, -limit, shape_.activation.alpha, 1.0f}) {
    inputs.push_back(mx::array(value, gate_up.dtype()));
  }
  return fused("ClippedSwiGlu", clipped_swiglu, inputs);
}

}  // namespace llm_host
