#include "layers/experts/expert_stacks.h"

#include "common/error.h"
#include "weights/join.h"

namespace llm_host {

mx::array evaluated(mx::array x) {
  x = mx::contiguous(x);
  x.eval();
  return x;
}

namespace {

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

ExpertStacks read_tensors(WeightStore& weights, const ExpertTensors& tensors, const ExpertShape& s,
                          bool as_stored) {
  int rows = s.wide() / static_cast<int>(tensors.first.size());
  std::vector<Matrix> first;
  std::string names;
  for (const std::string& name : tensors.first) {
    first.push_back(weights.experts(name, s.experts, rows, s.hidden, as_stored));
    names += (names.empty() ? "" : " and ") + name;
  }
  Matrix joined = first.size() == 1 ? first[0] : concatenate(names, first, weights.where());
  ExpertStacks stacks{
      {joined, {}},
      {weights.experts(tensors.down, s.experts, s.hidden, s.intermediate, as_stored), {}}};
  read_expert_biases(weights, tensors, s, stacks);
  return stacks;
}

// Names of an expert's matrices in files where each expert has its own tensors; the gate's is ""
// where there is none.
struct Names {
  const char *gate, *up, *down;
};

ExpertStacks read_single(WeightStore& weights, const std::string& path, const ExpertShape& s,
                         const Names& names, bool as_stored) {
  std::vector<Matrix> firsts, downs;
  for (int e = 0; e < s.experts; ++e) {
    std::string expert = path + "." + std::to_string(e) + ".";
    Matrix up = weights.matrix(expert + names.up, s.intermediate, s.hidden, as_stored);
    if (s.gated()) {
      Matrix gate = weights.matrix(expert + names.gate, s.intermediate, s.hidden, as_stored);
      std::string both = expert + names.gate + " and " + names.up;
      up = concatenate(both, {gate, up}, weights.where());
    }
    firsts.push_back(up);
    downs.push_back(weights.matrix(expert + names.down, s.hidden, s.intermediate, as_stored));
  }
  return {{stack("gate and up of " + path, firsts, weights.where()), {}},
          {stack("down of " + path, downs, weights.where()), {}}};
}

ExpertStacks read_gpt_oss(WeightStore& weights, const std::string& path, const ExpertShape& s,
                          bool as_stored) {
  std::string gate_up = path + ".gate_up_proj", down = path + ".down_proj";
  int wide = s.wide();
  bool packed = weights.has(gate_up + "_blocks");
  auto matrix = [&](const std::string& name, int out, int in) {
    // As this program saves it after quantizing.
    if (weights.has(name + ".weight")) return weights.experts(name, s.experts, out, in, as_stored);
    return packed ? weights.mxfp4_experts(name, s.experts, out, in)
                  : weights.transposed_experts(name, s.experts, out, in, as_stored);
  };
  return {{gate_then_up(weights, gate_up, matrix(gate_up, wide, s.hidden), wide),
           gate_then_up(weights.tensor(gate_up + "_bias", {s.experts, wide}))},
          {matrix(down, s.hidden, s.intermediate),
           weights.tensor(down + "_bias", {s.experts, s.hidden})}};
}

}  // namespace

void read_expert_biases(WeightStore& weights, const ExpertTensors& tensors, const ExpertShape& s,
                        ExpertStacks& stacks) {
  if (!s.bias) return;
  int rows = s.wide() / static_cast<int>(tensors.first.size());
  std::vector<mx::array> biases;
  for (const std::string& name : tensors.first) {
    biases.push_back(weights.tensor(name + ".bias", {s.experts, rows}));
  }
  stacks.gate_up.bias = evaluated(mx::concatenate(biases, 1));
  stacks.down.bias = weights.tensor(tensors.down + ".bias", {s.experts, s.hidden});
}

std::optional<ExpertTensors> find_expert_tensors(const WeightStore& weights,
                                                 const std::string& path, const ExpertShape& s) {
  // With ".weight" if MLX or this program saved it.
  auto has = [&](const std::string& name) {
    return weights.has(name) || weights.has(name + ".weight");
  };
  std::string experts = path + ".experts";
  if (!s.gated()) {
    std::string mlx = path + ".switch_mlp";
    if (has(mlx + ".fc1")) return ExpertTensors{{mlx + ".fc1"}, mlx + ".fc2"};
    if (has(experts + ".up_proj"))
      return ExpertTensors{{experts + ".up_proj"}, experts + ".down_proj"};
    return std::nullopt;
  }
  for (const std::string& at : {path + ".switch_mlp", experts, experts + ".switch_glu"}) {
    if (weights.has(at + ".gate_proj.weight")) {
      return ExpertTensors{{at + ".gate_proj", at + ".up_proj"}, at + ".down_proj"};
    }
  }
  if (s.interleaved) return std::nullopt;
  if (has(experts + ".gate_up_proj")) {
    return ExpertTensors{{experts + ".gate_up_proj"}, experts + ".down_proj"};
  }
  if (!weights.has(path + ".input_linear.weight")) return std::nullopt;
  return ExpertTensors{{path + ".input_linear"}, path + ".output_linear"};
}

ExpertStacks read_expert_stacks(WeightStore& weights, const std::string& path,
                                const ExpertShape& shape, bool as_stored) {
  if (auto tensors = find_expert_tensors(weights, path, shape)) {
    return read_tensors(weights, *tensors, shape, as_stored);
  }
  std::string experts = path + ".experts";
  for (const Names& names : {Names{"gate_proj", "up_proj", "down_proj"}, Names{"w1", "w3", "w2"}}) {
    if (weights.has(experts + ".0." + names.up + ".weight")) {
      return read_single(weights, experts, shape, names, as_stored);
    }
  }
  if (shape.interleaved) return read_gpt_oss(weights, experts, shape, as_stored);
  const char* looked_for = shape.gated()
                               ? "switch_mlp.gate_proj.weight, experts.gate_proj.weight, "
                                 "experts.switch_glu.gate_proj.weight, experts.0.gate_proj.weight, "
                                 "experts.0.w1.weight, experts.gate_up_proj, input_linear.weight"
                               : "switch_mlp.fc1.weight, experts.up_proj, experts.0.up_proj.weight";
  throw Error(kModelBroken, "the weights have no experts below " + path + "; looked for " +
                                looked_for + weights.where());
}

}  // namespace llm_host
