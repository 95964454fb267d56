#pragma once

#include "kernels/packed_expert_ops.h"
#include "layers/experts/expert_stacks.h"
#include "layers/experts/moe_router.h"

namespace llm_host {

// The feed-forward networks of a mixture of experts; each token goes through a few of them.
class Experts {
 public:
  using Shape = ExpertShape;

  // Reads the matrices below `path`; see read_expert_stacks. `shape` is of all experts, of which
  // this process may have some.
  Experts(WeightStore& weights, const std::string& path, const Shape& shape);

  // x [1, L, hidden] -> Σ routing weight · expert(x), [1, L, hidden]
  mx::array operator()(const mx::array& x, const Routing& routing) const;

 private:
  struct PackedStacks {
    cpu::Packed gate_up, down;
  };

  // Whether the kernels for packed matrices take this shape, and the store packs matrices.
  static bool packs(const WeightStore& weights, const Shape& shape);
  // Stacks of which only biases are used.
  static ExpertStacks no_matrices();
  // Packs what is stored as one tensor for all experts while it is read. Returns false if that
  // cannot be.
  bool pack_while_reading(WeightStore& weights, const std::string& path);
  // Packs both matrices, if there are kernels for them, and then drops the stored form.
  void pack(WeightStore& weights);
  // The rows of x that each expert multiplies.
  struct Chosen {
    mx::array x;        // [.., 1, in]
    mx::array experts;  // [..] as x, or as x's rows repeat
    bool sorted;        // by expert
  };
  // -> [.., 1, out], without the bias
  static mx::array multiply(const ExpertStack& stack, const Chosen& chosen);
  // The biases of `experts` [..] -> [.., 1, out]; nothing if there are none.
  static std::optional<mx::array> biases(const ExpertStack& stack, const mx::array& experts);
  mx::array activate(const mx::array& gate_up, const std::optional<mx::array>& biases) const;
  // The first matrix, activation and second matrix without its bias, as `chosen`.
  mx::array through(const Chosen& chosen) const;
  // The share of this process's experts in the sum; ids count from its first one.
  mx::array own(const mx::array& x, const Routing& routing) const;
  // As own() by MLX's operations, for x [L, hidden].
  mx::array gather(const mx::array& x, const Routing& routing) const;

  Shape shape_;
  ExpertStacks stacks_;  // if packed, only the biases are used
  std::optional<PackedStacks> packed_;
  // If the others are in other processes: adds up what all make.
  SumOverProcesses sum_;
  int first_ = 0;  // of this process
};

// Router and experts.
class Moe {
 public:
  Moe(Router router, Experts experts) : router_(std::move(router)), experts_(std::move(experts)) {}

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x) const { return experts_(x, router_(x)); }

 private:
  Router router_;
  Experts experts_;
};

}  // namespace llm_host
