#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Parts of a graph that a GPU runs as one kernel, though the CPU's graph has several operations for
// them: MLX's fused functions, and what mx::compile would join. While an object of this class
// exists, such parts of this thread are noted, so that a GPU's kernels can be counted on a CPU.
// Where mx::compile does run, its operations are in the graph and are counted as they are.
class LaunchGroups {
 public:
  LaunchGroups();
  LaunchGroups(const LaunchGroups&) = delete;
  LaunchGroups& operator=(const LaunchGroups&) = delete;
  ~LaunchGroups();

  // This thread's; nullptr if nothing is noted.
  static LaunchGroups* current();

  // Notes everything between `inputs` and `outputs` as one kernel.
  void add(const char* kind, const std::vector<mx::array>& inputs,
           const std::vector<mx::array>& outputs);

  struct Group {
    std::string kind;
    std::vector<mx::array> outputs;  // also keep the operations' addresses from being used again
  };
  // The group that an operation belongs to; nullptr if none.
  const Group* find(uintptr_t primitive) const;

 private:
  std::vector<Group> groups_;
  std::unordered_map<uintptr_t, size_t> members_;
  LaunchGroups* before_;
};

// make(), whose result a GPU computes from `inputs` by one kernel.
template <typename F>
mx::array one_launch(const char* kind, const std::vector<mx::array>& inputs, F&& make) {
  mx::array result = make();
  if (LaunchGroups* groups = LaunchGroups::current()) groups->add(kind, inputs, {result});
  return result;
}

// Elementwise operations on arrays, without captured values: mx::compile knows them by address.
using Elementwise = std::vector<mx::array>(const std::vector<mx::array>& inputs);

// Which shapes a part is compiled for. mx::compile joins operations up to 11 deep; for any shapes,
// each with two operands is two deep, since it broadcasts them. A part that is deeper is one kernel
// only if it is compiled for the shapes at hand, which must be few: those of a single token.
enum class Shapes { kAny, kThese };

// The first result of `f`, as one kernel where the device policy compiles; for all of them, which
// have the same shape, fused_all.
mx::array fused(const char* kind, Elementwise* f, const std::vector<mx::array>& inputs,
                Shapes shapes = Shapes::kAny);
std::vector<mx::array> fused_all(const char* kind, Elementwise* f,
                                 const std::vector<mx::array>& inputs,
                                 Shapes shapes = Shapes::kAny);

}  // namespace llm_host
