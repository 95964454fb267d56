#include "addon/signal.h"

#include <utility>

namespace llm_host {

std::shared_ptr<Signal> Signal::create(Napi::Env env) {
  std::shared_ptr<Signal> signal(new Signal(env));
  auto nothing = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
  signal->wake_ = Napi::ThreadSafeFunction::New(env, nothing, "llm-host", 0, 1);
  signal->wake_.Unref(env);
  return signal;
}

void Signal::post(Task task) {
  std::lock_guard lock(mutex_);
  if (closed_) return;
  tasks_.push_back(std::move(task));
  if (tasks_.size() > 1) return;
  wake_.NonBlockingCall([this](Napi::Env env, Napi::Function) { run_tasks(env); });
}

void Signal::run_tasks(Napi::Env env) {
  std::vector<Task> tasks;
  {
    std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (Task& task : tasks) {
    Napi::HandleScope scope(env);
    try {
      task(env);
    } catch (const Napi::Error& error) {
      // The caller's callback threw; the other tasks must still run.
      napi_fatal_exception(env, error.Value());
    }
  }
}

void Signal::hold() {
  if (holds_++ == 0 && !closed_) wake_.Ref(env_);
}

void Signal::release() {
  if (--holds_ == 0 && !closed_) wake_.Unref(env_);
}

void Signal::close() {
  std::vector<Task> dropped;  // destroyed after the lock: their destructors may call the engine
  std::lock_guard lock(mutex_);
  if (std::exchange(closed_, true)) return;
  dropped.swap(tasks_);
  wake_.Abort();
}

}  // namespace llm_host
