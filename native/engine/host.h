#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "engine/spec.h"

namespace llm_host {

struct LoadResult {
  int64_t model = 0;
  ModelInfo info;
  std::optional<Error> error;
};

// Both are called on the model thread and must not block.
struct LoadHandlers {
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_progress;
  std::function<void(LoadResult)> on_done;  // exactly once
};

struct CacheResult {
  SavedCache saved;
  std::optional<Error> error;
};
using CacheHandler = std::function<void(CacheResult)>;  // exactly once, on the model thread

// The door to the model thread. One per process, never destroyed: MLX must not be torn down under a
// running thread. Every method may be called from any thread, returns at once (`shutdown` excepted)
// and throws Error.
class Host {
 public:
  // Generations, and savings and loadings of caches.
  static constexpr int kMaxWaitingJobs = 64;

  static Host& get();

  void load(LoadSpec spec, LoadHandlers handlers);
  int64_t start(int64_t model, Request request, std::function<void(bool finished)> on_ready);
  std::vector<Event> take(int64_t job);
  void cancel(int64_t job);
  // Both wait for what was asked of the engine before.
  void save_cache(int64_t model, std::string path, std::string model_hash, CacheHandler on_done);
  void load_cache(int64_t model, CacheFile file, CacheHandler on_done);
  // Cancels the model's jobs and frees it. `on_done` is called once, here or on the model thread.
  void close(int64_t model, std::function<void()> on_done);
  MemoryInfo memory() const;
  // Cancels everything and joins the model thread. Idempotent.
  void shutdown();

 private:
  Host();
  struct State;
  State* const state_;
};

struct MlxVersions {
  std::string built;
  std::string loaded;
};
MlxVersions mlx_versions();

// How a model's weights would be held here: "stored", "float32" or "packed".
const char* weight_layout(bool exact);

}  // namespace llm_host
