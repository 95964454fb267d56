#include "engine/runtime.h"

#include <algorithm>
#include <initializer_list>
#include <new>

#include "common/device_policy.h"
#include "common/heap.h"
#include "engine/device/device_failures.h"
#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

namespace mx = mlx::core;

#define LLM_HOST_TEXT_(x) #x
#define LLM_HOST_TEXT(x) LLM_HOST_TEXT_(x)

MlxVersions mlx_versions() {
  return {LLM_HOST_TEXT(MLX_VERSION_MAJOR) "." LLM_HOST_TEXT(MLX_VERSION_MINOR) "." LLM_HOST_TEXT(
              MLX_VERSION_PATCH),
          mx::version()};
}

void check_mlx_version() {
  MlxVersions versions = mlx_versions();
  if (versions.built == versions.loaded) return;
  throw Error(kEngineUnavailable, "the addon was built for MLX " + versions.built + ", but MLX " +
                                      versions.loaded + " was found");
}

const char* weight_layout(bool exact) { return WeightStore::layout(exact); }

namespace {

bool contains_any(const std::string& text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return text.find(part) != std::string::npos; });
}

// MLX's allocators, Metal's command buffers and CUDA report it by a runtime_error.
bool tells_of_memory(const std::string& message) {
  return contains_any(message,
                      {"nable to allocate", "malloc]", "greater than the maximum allowed",
                       "Insufficient Memory", "OutOfMemory", "out of memory", "Resource limit",
                       "MemoryAllocation", "OUT_OF_MEMORY", "ALLOC_FAILED"});
}

// No device, or none that this build of MLX can use.
bool tells_of_device(const std::string& message) {
  return contains_any(
      message, {"No Metal device", "metallib", "Failed to load device",
                "driver version is insufficient", "no CUDA-capable device", "No CUDA device"});
}

// CUDA's errors that end a process' use of the device: every later call fails by the same one.
bool tells_of_lost_device(const std::string& message) {
  return contains_any(message, {"launch failure", "illegal memory access", "illegal instruction",
                                "device-side assert", "misaligned address", "ECC error"});
}

Error explained(const std::exception& error, const std::string& doing) {
  std::string message = error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr || tells_of_memory(message)) {
    return Error(kOutOfMemory, doing + ": there is not enough memory (" + message +
                                   "); close other programs, or use a smaller or more strongly "
                                   "quantized model, or a shorter context");
  }
  if (tells_of_device(message)) {
    return Error(kEngineUnavailable, doing + ": the GPU cannot be used (" + message +
                                         "); `llm-host doctor` shows what it lacks");
  }
  const char* fix = tells_of_lost_device(message)
                        ? "; the GPU does no more for this process: start the program again"
                        : "";
  return Error(kEngine, doing + ": " + message + fix);
}

}  // namespace

Error error_of(const std::exception& error, const std::string& doing) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return *own;
  Error told = explained(error, doing);
  DeviceFailures::note(told);
  return told;
}

MemoryInfo runtime_memory() {
  return {mx::get_active_memory(), mx::get_peak_memory(), mx::get_cache_memory()};
}

std::string device_text() {
  mx::Device device = mx::default_device();
  if (device == mx::Device::cpu) return "cpu";
  for (const auto& [key, value] : mx::device_info(device)) {
    const std::string* text = std::get_if<std::string>(&value);
    if (key == "device_name" && text != nullptr) return "gpu " + *text;
  }
  return "gpu";
}

void init_runtime() {
  keep_freed_memory();
  // MLX would keep all of it as well, for results of the same sizes.
  if (!DevicePolicy::get().gpu()) mx::set_cache_limit(0);
  // On the CPU, compile() would run g++ through the shell and load what it wrote to a shared
  // folder.
  if (!DevicePolicy::get().compiles()) mx::set_compile_mode(mx::CompileMode::disabled);
}

void leave_runtime() {
  mx::clear_cache();
  mx::clear_streams();
}

void free_cached_memory() { mx::clear_cache(); }

}  // namespace llm_host
