#pragma once

#include <optional>
#include <vector>

#include "engine/events.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The number of operations that have to be run for `outputs`: those that are not on their way yet.
int count_primitives(const std::vector<mx::array>& outputs);

// What the host pays for the decoding steps of a job: the processor time of this thread, which what
// else the machine does leaves alone.
class StepMeter {
 public:
  // Off: every call returns at once.
  explicit StepMeter(bool on) : on_(on) {}

  // A step is about to be built; its graph is there; it has been handed over. Without the first the
  // others do nothing.
  void start();
  void built(const std::vector<mx::array>& outputs);
  void submitted();

  std::optional<GraphStats> stats() const;

 private:
  const bool on_;
  bool running_ = false;
  double since_ = 0;  // µs
  GraphStats stats_;
};

}  // namespace llm_host
