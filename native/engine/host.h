#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/cache/sequence.h"
#include "engine/commands.h"
#include "engine/runtime.h"

namespace llm_host {

class ModelThread;

// The engine as the addon sees it: open models and jobs by number. One per process, never
// destroyed: MLX must not be torn down under a running thread. Every method may be called from any
// thread, returns at once (`shutdown` excepted) and throws Error.
class Host {
 public:
  // Generations, saves and loads of caches.
  static constexpr int kMaxWaitingJobs = 64;
  static constexpr size_t kMaxEncodings = 1024;

  static Host& get();

  void load(LoadSpec spec, LoadHandlers handlers);
  // -> the job's id. `on_ready` as in EventQueue.
  int64_t start(int64_t model, Request request, std::function<void(bool finished)> on_ready);
  std::vector<Event> take(int64_t job);
  // -> an id for `cancel`. The texts of several requests may share a batch.
  int64_t encode(int64_t model, EncodeRequest request, EncodeHandler on_done);
  void cancel(int64_t job);
  // Runs when the model has nothing else to do. See Session::save_prefix.
  void save_prefix(int64_t model, std::vector<int32_t> ids, Needs needs, CacheTarget target,
                   CacheHandler on_done);
  // Both run after everything asked for before.
  void save_cache(int64_t model, CacheTarget target, CacheHandler on_done);
  void load_cache(int64_t model, CacheFile file, CacheHandler on_done);
  // The other processes that share models are gone, for this reason: whoever waits for them fails.
  void abandon_group(const std::string& why);
  // Cancels the model's jobs and frees it. `on_done` is called once, here or on the model thread.
  void close(int64_t model, std::function<void()> on_done);
  // Closes a model whose events nobody can take any more.
  void abandon(int64_t model);
  MemoryInfo memory() const;
  // Tries the device's kernels. Throws ENGINE_UNAVAILABLE after shutdown.
  void probe(ProbeHandler on_done);
  // Cancels everything and joins the model thread. Idempotent.
  void shutdown();

 private:
  Host();
  ~Host() = delete;
  struct OpenModel {
    ModelInfo info;
    bool encodes;
    bool shared;  // other processes have parts of it
  };
  // Both need the mutex. `encodes`: what the model is asked to do.
  const ModelInfo& check_open(int64_t model, bool encodes = false) const;
  void check_room() const;
  void send_cache(CacheCommand command);

  ModelThread& thread_;
  std::mutex mutex_;
  std::unordered_map<int64_t, std::shared_ptr<Job>> jobs_;  // until their last event is taken
  std::unordered_map<int64_t, std::shared_ptr<EncodeJob>> encodings_;  // until they are over
  std::unordered_map<int64_t, OpenModel> models_;
  int64_t last_job_ = 0;
};

}  // namespace llm_host
