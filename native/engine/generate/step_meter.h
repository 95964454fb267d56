#pragma once

#include <optional>
#include <vector>

#include "common/launch_groups.h"
#include "engine/job/events.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Measures the host's cost of decoding steps, in processor time of this thread: other load on the
// machine does not change it.
class StepMeter {
 public:
  // `on` false: every call does nothing.
  explicit StepMeter(bool on) : on_(on) {}

  // Call before a step's graph is built, after it is built, and after it is handed to MLX. Without
  // `start` the other two do nothing.
  void start();
  void built(const std::vector<mx::array>& outputs);
  void submitted();

  std::optional<GraphStats> stats() const;

 private:
  const bool on_;
  bool running_ = false;
  double since_ = 0;                    // µs
  std::optional<LaunchGroups> groups_;  // of the step that is counted
  GraphStats stats_;
};

}  // namespace llm_host
