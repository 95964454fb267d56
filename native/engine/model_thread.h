#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "engine/commands.h"
#include "engine/device/device_memory.h"
#include "engine/runtime.h"

namespace llm_host {

class EncoderSession;

// The one thread that calls MLX. Runs commands in the order they were sent; those of a model that
// generate, encode or need its cache wait in its session, whose turns go on between commands.
// Public methods may be called from any thread. Never destroyed: see Host.
class ModelThread {
 public:
  ModelThread();
  ModelThread(const ModelThread&) = delete;
  ModelThread& operator=(const ModelThread&) = delete;
  ~ModelThread() = delete;

  // The first command starts the thread. Throws ENGINE_UNAVAILABLE if it cannot be started; then
  // the command is not run.
  void send(Command command);
  // Generations, saves and loads of caches that wait.
  int waiting_jobs() const;
  // An event queue has room again, or its job was cancelled.
  void wake();
  // Stops a load under way; the thread ends once it has run what was sent before.
  void stop();
  bool stopping() const { return stopping_; }
  // Waits for the thread to end. Idempotent.
  void join();
  // As of the last step.
  MemoryInfo memory() const { return {active_bytes_, peak_bytes_, cache_bytes_}; }

 private:
  void start();
  void run();
  // The next command. If there is none: nothing, at once or, with `wait`, after `wake` or `stop`.
  std::optional<Command> next(bool wait);
  void run_command(Command& command);
  void run_load(LoadCommand command);
  void open(const LoadSpec& spec, const std::function<void(uint64_t, uint64_t)>& progress,
            LoadResult& result);
  void run_job(std::shared_ptr<Job> job);
  void run_encode(std::shared_ptr<EncodeJob> job);
  void run_cache(CacheCommand command);
  void run_probe(const ProbeCommand& command);
  void run_close(const CloseCommand& command);
  // A turn of every model. -> whether any of them had something to do
  bool turn();
  void count_scheduled();
  bool all_idle() const;
  // Whether to end.
  bool finished();
  void note_memory();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Command> commands_;
  bool woken_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<int> scheduled_{0};  // jobs and cache commands that wait in a scheduler
  std::mutex join_mutex_;
  std::thread thread_;
  std::atomic<uint64_t> active_bytes_{0}, peak_bytes_{0}, cache_bytes_{0};

  // For the model thread only.
  std::optional<Error> broken_;  // why MLX cannot be used
  std::unordered_map<int64_t, std::unique_ptr<Session>> sessions_;
  std::unordered_map<int64_t, std::unique_ptr<EncoderSession>> encoders_;
  int64_t last_model_ = 0;
  MemoryLimits limits_;               // as of the last load
  std::optional<WiredMemory> wired_;  // while a model generates
};

}  // namespace llm_host
