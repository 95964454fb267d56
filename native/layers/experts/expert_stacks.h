#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/expert_ops.h"
#include "weights/weight_store.h"

namespace llm_host {

struct ExpertShape {
  int experts;
  int hidden;
  int intermediate;
  bool bias = false;
  // gpt-oss's own files: the rows of gate and up alternate, and float matrices are transposed.
  bool interleaved = false;
  cpu::ExpertActivation activation = {};

  bool gated() const { return activation.gated(); }
  // Rows of an expert's first matrix.
  int wide() const { return gated() ? 2 * intermediate : intermediate; }
};

// One matrix of every expert.
struct ExpertStack {
  Matrix matrix;                  // [experts, out, in]
  std::optional<mx::array> bias;  // [experts, out]
};

struct ExpertStacks {
  ExpertStack gate_up;  // gate's rows first; up's alone where there is no gate
  ExpertStack down;
};

// x computed now, its numbers in order.
mx::array evaluated(mx::array x);

// Reads the matrices below `path`, in any of the layouts that Hugging Face and MLX's converter use;
// floats keep their type if `as_stored`. Throws MODEL_BROKEN and lists their names if it finds
// none.
ExpertStacks read_expert_stacks(WeightStore& weights, const std::string& path,
                                const ExpertShape& shape, bool as_stored);

// Where each matrix is one tensor for all experts.
struct ExpertTensors {
  std::vector<std::string> first;  // gate and up, or both as one, or up alone
  std::string down;
};
// Nothing where they are stored otherwise.
std::optional<ExpertTensors> find_expert_tensors(const WeightStore& weights,
                                                 const std::string& path, const ExpertShape& shape);

// The biases beside such tensors, if there are to be any.
void read_expert_biases(WeightStore& weights, const ExpertTensors& tensors,
                        const ExpertShape& shape, ExpertStacks& stacks);

}  // namespace llm_host
