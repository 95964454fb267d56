#pragma once

#include <cstddef>

#include "common/device_policy.h"
#include "mlx/mlx.h"

namespace llm_host {

// While it exists, limits the memory of scheduled operations that have not run: see
// DevicePolicy::ahead_bytes.
class ScheduleAhead {
 public:
  ScheduleAhead()
      : bytes_(DevicePolicy::get().ahead_bytes()),
        before_(bytes_ ? mx::set_memory_limit(mx::get_active_memory() + *bytes_) : 0) {}
  ScheduleAhead(const ScheduleAhead&) = delete;
  ScheduleAhead& operator=(const ScheduleAhead&) = delete;
  ~ScheduleAhead() {
    if (bytes_) mx::set_memory_limit(before_);
  }

 private:
  std::optional<size_t> bytes_;
  size_t before_;
};

}  // namespace llm_host
