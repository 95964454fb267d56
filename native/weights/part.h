#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

// x of all processes that share a model, added up; lazy. Where it is computed, it throws if the
// others do not answer.
using SumOverProcesses = std::function<mlx::core::array(const mlx::core::array&)>;

// Modules of which a process has some of the columns, or some of the experts: what they make has to
// be added up.
struct PartialModules {
  std::vector<std::string> names;  // ends of their paths
  SumOverProcesses sum;
  int index = 0, count = 1;  // this process, of so many

  bool contains(const std::string& path) const {
    for (const std::string& name : names) {
      if (path.ends_with("." + name)) return true;
    }
    return false;
  }
};

}  // namespace llm_host
