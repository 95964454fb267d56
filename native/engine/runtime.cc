#include "engine/runtime.h"

#include <new>

#include "common/device_policy.h"
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

Error error_of(const std::exception& error, const std::string& doing) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return *own;
  std::string message = error.what();
  // MLX's allocators throw a runtime_error.
  bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                message.find("nable to allocate") != std::string::npos ||
                message.find("malloc") != std::string::npos;
  if (memory) return Error(kOutOfMemory, doing + ": there is not enough memory (" + message + ")");
  return Error(kEngine, doing + ": " + message);
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
