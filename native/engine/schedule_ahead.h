#pragma once

#include <cstddef>

#include "mlx/mlx.h"

namespace llm_host {

// While it lives, results of operations that still wait take about `bytes` at most. The CPU backend
// allocates a result when it schedules its operation, up to a hundred of them ahead: for a chunk of
// a prompt that is the whole model's activations instead of a few layers'. On a GPU memory is
// MLX's to manage, and nothing is changed.
class ScheduleAhead {
 public:
  explicit ScheduleAhead(size_t bytes)
      : limited_(mlx::core::default_device() == mlx::core::Device::cpu),
        before_(limited_ ? mlx::core::set_memory_limit(mlx::core::get_active_memory() + bytes)
                         : 0) {}
  ScheduleAhead(const ScheduleAhead&) = delete;
  ScheduleAhead& operator=(const ScheduleAhead&) = delete;
  ~ScheduleAhead() {
    if (limited_) mlx::core::set_memory_limit(before_);
  }

 private:
  bool limited_;
  size_t before_;
};

}  // namespace llm_host
