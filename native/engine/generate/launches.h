#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/launch_groups.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The graph that is still to be computed for a step's outputs.
struct StepGraph {
  int primitives = 0;  // operations
  // The kernels that a GPU launches for them, by operation and type: "Matmul bfloat16" -> 61. Views
  // of memory are none; what is noted as one kernel is one. Whatever does not run on the thread's
  // default stream is counted by itself, as "Add float32 on another stream".
  std::map<std::string, int> launches;
};

// `groups`: those noted while the graph was built.
StepGraph inspect(const std::vector<mx::array>& outputs, const LaunchGroups& groups);

}  // namespace llm_host
