#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/launch_groups.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The kernels that a GPU launches for what is to be computed of `outputs`, by operation and type:
// "Matmul bfloat16" -> 61. Views of memory are none; what `groups` notes as one kernel is one.
std::map<std::string, int> count_launches(const std::vector<mx::array>& outputs,
                                          const LaunchGroups& groups);

}  // namespace llm_host
