#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/error.h"
#include "engine/job.h"
#include "engine/spec.h"

// What the model thread does. Nothing here may be called from another thread, but for
// `check_request`.
namespace llm_host {

void init_runtime();
// Ends MLX's streams of this thread; no array may be alive.
void leave_runtime();
void free_cached_memory();
// What JavaScript is told of an exception: an Error as it is, others by kind. `doing` starts the
// message.
Error error_of(const std::exception& error, const std::string& doing);
MemoryInfo runtime_memory();

// Throws USAGE for values out of range and CONTEXT_FULL for a prompt longer than the context.
void check_request(const ModelInfo& info, const Request& request);

// Called with the bytes read so far; throws to stop the load.
using Progress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

// A loaded model with its live KV cache.
class Session {
 public:
  static std::unique_ptr<Session> load(const LoadSpec& spec, const Progress& progress);
  virtual ~Session() = default;

  virtual const ModelInfo& info() const = 0;
  // Writes the live KV cache to `path`; the file is there whole or not at all. Throws CACHE.
  virtual SavedCache save_cache(const std::string& path, const std::string& model_hash) = 0;
  // Takes over what was saved. Throws CACHE or MODEL_BROKEN, and then keeps what it has.
  virtual SavedCache load_cache(const CacheFile& file) = 0;
  // Runs one job to its last event; never throws. `on_step` is called between steps.
  virtual void generate(Job& job, const std::function<void()>& on_step) = 0;
};

}  // namespace llm_host
