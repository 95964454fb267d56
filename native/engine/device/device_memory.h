#pragma once

#include <cstddef>
#include <optional>

// How much of a GPU's memory MLX may use, from the device's own figures.
namespace llm_host {

// A device's report of its memory in bytes; 0: it does not report this.
struct DeviceMemory {
  size_t working_set = 0;  // Metal: what all programs together should keep on the device
  size_t total = 0;
  size_t free = 0;  // CUDA: when the program started
};
// All 0 where the device policy is a CPU's: then the system's figures count.
DeviceMemory device_memory();

// Bytes that a model with its caches can take; 0: the device does not say.
size_t usable_bytes(const DeviceMemory& memory);

struct MemoryLimits {
  std::optional<size_t> cache;  // freed buffers that MLX keeps for later arrays
  std::optional<size_t> wired;  // kept resident while tokens are generated
};
// `active`: bytes of loaded weights. `wires`: whether memory may be wired at all.
MemoryLimits memory_limits(const DeviceMemory& memory, size_t active, bool wires);

// Whether buffers that MLX keeps for later arrays are freed after each chunk of a prompt and every
// kTokensBetweenDrops tokens, as mlx-lm does: a GPU's arrays grow with the sequence, so that old
// buffers fit no new ones.
bool drops_buffers();
inline constexpr int kTokensBetweenDrops = 256;

// Whether LLM_HOST_WIRED leaves it on, as by default. Throws USAGE if it is neither 0 nor 1.
bool wires_memory();

// While it exists, the system keeps so many bytes of MLX's arrays resident, as mlx-lm does: else
// macOS may take them from the GPU between two tokens. Waits at its end until the device is idle.
class WiredMemory {
 public:
  explicit WiredMemory(std::optional<size_t> bytes);
  WiredMemory(const WiredMemory&) = delete;
  WiredMemory& operator=(const WiredMemory&) = delete;
  ~WiredMemory();

 private:
  std::optional<size_t> before_;
};

}  // namespace llm_host
