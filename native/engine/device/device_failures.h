#pragma once

#include <cstdint>

#include "common/error.h"

namespace llm_host {

// Failures during a computation, long after it was asked for: on a GPU, or for want of memory.
// MLX tells it once, to whoever waits next, and to the others of the same pass that all is well,
// though their tokens, keys and values are whatever was in memory. So everything that was under way
// when a failure was told counts as failed. Any thread.
class DeviceFailures {
 public:
  // How many have been told so far.
  static uint64_t told();
  static void note(const Error& error);
  // Throws the last one, if any has been told since there were `before`.
  static void check(uint64_t before);
};

}  // namespace llm_host
