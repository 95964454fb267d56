#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "common/error.h"

// MLX as a whole: its version, its memory, its errors. Without MLX's headers, so that the addon can
// include it.
namespace llm_host {

struct MlxVersions {
  std::string built;   // compiled against
  std::string loaded;  // found at run time
};
MlxVersions mlx_versions();
// Throws ENGINE_UNAVAILABLE unless the two are the same.
void check_mlx_version();

// How a model's weights would be held on this machine: WeightLayout in src/native/addon-types.ts.
const char* weight_layout(bool exact);

// The error that JavaScript gets for an exception: an Error unchanged, any other as OUT_OF_MEMORY
// or ENGINE with a message that starts with `doing`. Such another one is noted as a failure of the
// device: see DeviceFailures.
Error error_of(const std::exception& error, const std::string& doing);

// For the model thread only.

struct MemoryInfo {
  uint64_t active_bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t cache_bytes = 0;
};
MemoryInfo runtime_memory();
// "cpu", or "gpu" with its name.
std::string device_text();
void init_runtime();
// Ends this thread's MLX streams; no array may be alive.
void leave_runtime();
// Gives back the memory that MLX keeps for later arrays.
void free_cached_memory();

}  // namespace llm_host
