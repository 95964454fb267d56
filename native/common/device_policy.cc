#include "common/device_policy.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/mlx_environment.h"

namespace llm_host {
namespace {

constexpr const char* kVariable = "LLM_HOST_DEVICE_POLICY";

}  // namespace

DevicePolicy::DevicePolicy() {
  bool device = mx::default_device() != mx::Device::cpu;
  gpu_ = device || environment(kVariable) == "gpu";
  compiles_ = device || (gpu_ && environment("LLM_HOST_COMPILE") == "1");
}

const DevicePolicy& DevicePolicy::get() {
  static const DevicePolicy policy;
  return policy;
}

void DevicePolicy::check() {
  std::string value = environment(kVariable);
  if (value.empty() || value == "gpu") return;
  throw Error(kUsage, std::string(kVariable) + " must be gpu or unset, got " + value);
}

int DevicePolicy::prefill_chunk(uint64_t parameters) const {
  constexpr uint64_t kCpuWork = 256'000'000'000;  // weights · tokens
  if (gpu_) return 2048;                          // as mlx-lm's
  uint64_t weights = std::max<uint64_t>(1, parameters);
  return static_cast<int>(std::clamp<uint64_t>(kCpuWork / weights, 64, 512));
}

std::optional<size_t> DevicePolicy::ahead_bytes() const {
  if (gpu_) return std::nullopt;
  return size_t{24} << 20;  // several layers of a chunk
}

}  // namespace llm_host
