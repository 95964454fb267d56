#include "engine/device/device_memory.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "common/device_policy.h"
#include "common/error.h"
#include "mlx/mlx.h"

namespace llm_host {

DeviceMemory device_memory() {
  if (!DevicePolicy::get().gpu()) return {};
  const auto& info = mx::device_info(mx::default_device());
  auto bytes = [&](const char* key) -> size_t {
    auto entry = info.find(key);
    const size_t* value = entry == info.end() ? nullptr : std::get_if<size_t>(&entry->second);
    return value == nullptr ? 0 : *value;
  };
  // Metal's names, then CUDA's.
  return {bytes("max_recommended_working_set_size"),
          std::max(bytes("memory_size"), bytes("total_memory")), bytes("free_memory")};
}

size_t usable_bytes(const DeviceMemory& memory) {
  if (memory.working_set > 0) return memory.working_set;
  return memory.free > 0 ? memory.free : memory.total;
}

MemoryLimits memory_limits(const DeviceMemory& memory, size_t active, bool wires) {
  // Without a cache, every result would be a new allocation.
  constexpr size_t kLeastCache = size_t{64} << 20;
  MemoryLimits limits;
  size_t usable = memory.working_set > 0 ? memory.working_set : memory.total;
  if (usable == 0) return limits;
  // The other half is for keys, values and results.
  size_t left = usable - std::min(usable, active);
  limits.cache = std::max(kLeastCache, std::min(left / 2, usable / 4));
  // Only Metal wires memory. More than the working set would be refused.
  if (wires && memory.working_set > 0) limits.wired = memory.working_set;
  return limits;
}

bool drops_buffers() { return DevicePolicy::get().gpu(); }

bool wires_memory() {
  const char* text = std::getenv("LLM_HOST_WIRED");
  std::string value = text == nullptr ? "" : text;
  if (value == "0") return false;
  if (value.empty() || value == "1") return true;
  throw Error(kUsage, "LLM_HOST_WIRED must be 0, 1 or unset, got " + value);
}

WiredMemory::WiredMemory(std::optional<size_t> bytes) {
  if (!bytes) return;
  try {
    before_ = mx::set_wired_limit(*bytes);
  } catch (const std::exception&) {
    // An invalid_argument: the system's limit was lowered since (sysctl iogpu.wired_limit_mb).
    // Unwired memory works too, and the next generation asks again.
  }
}

WiredMemory::~WiredMemory() {
  if (!before_) return;
  try {
    // The limit must not change under a step that was launched ahead.
    mx::synchronize();
    mx::set_wired_limit(*before_);
  } catch (const std::exception&) {
    // The device has failed: whoever waits for the next result is told.
  }
}

}  // namespace llm_host
