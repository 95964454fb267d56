#include <new>

#include "engine/host.h"
#include "engine/session.h"
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

void init_runtime() {
  // On the CPU, compile() would run g++ through the shell and load what it wrote to a shared
  // folder.
  mx::set_compile_mode(mx::CompileMode::disabled);
}

void leave_runtime() {
  mx::clear_cache();
  mx::clear_streams();
}

void free_cached_memory() { mx::clear_cache(); }

MemoryInfo runtime_memory() {
  return {mx::get_active_memory(), mx::get_peak_memory(), mx::get_cache_memory()};
}

}  // namespace llm_host
