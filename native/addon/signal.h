#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace llm_host {

// Runs tasks on the JavaScript thread. Its thread-safe function only wakes that thread, with at
// most one call pending, so that no other thread ever waits for it.
class Signal {
 public:
  using Task = std::function<void(Napi::Env)>;

  static std::shared_ptr<Signal> create(Napi::Env env);

  // Any thread. After `close` the task is dropped.
  void post(Task task);

  // JavaScript thread. The process stays alive while there are more `hold`s than `release`s.
  void hold();
  void release();
  void close();

 private:
  explicit Signal(Napi::Env env) : env_(env) {}
  void run_tasks(Napi::Env env);

  Napi::Env env_;
  Napi::ThreadSafeFunction wake_;
  std::mutex mutex_;
  std::vector<Task> tasks_;
  bool closed_ = false;
  int holds_ = 0;
};

}  // namespace llm_host
