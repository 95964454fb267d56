#pragma once

#include <cstddef>

#include "mlx/mlx.h"

namespace llm_host {

// While it exists, limits the memory of scheduled operations that have not run to about `bytes`.
// The CPU backend allocates results when it schedules operations, up to a hundred of them ahead:
// for a chunk of a prompt, the activations of the whole model instead of a few layers. Does nothing
// on a GPU.
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
