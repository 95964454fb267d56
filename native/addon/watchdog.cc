#include "addon/watchdog.h"

#include <string>

#include "watchdog/watchdog.h"

namespace llm_host {
namespace {

void arm(const Napi::CallbackInfo& info, const std::shared_ptr<Signal>& signal) {
  if (!info[0].IsFunction()) {
    throw Napi::TypeError::New(info.Env(), "onKeys must be a function");
  }
  // Never deleted: the watchdog lives as long as the process.
  auto* on_keys = new Napi::FunctionReference(Napi::Persistent(info[0].As<Napi::Function>()));
  on_keys->SuppressDestruct();
  Watchdog::get().arm([signal, on_keys](uint64_t question, const std::string& keys) {
    signal->post([on_keys, question, keys](Napi::Env env) {
      Watchdog::get().answer(question);
      if (keys.empty()) return;
      on_keys->Call({Napi::Buffer<char>::Copy(env, keys.data(), keys.size())});
    });
  });
}

void echo(const Napi::CallbackInfo& info) { Watchdog::get().echo(info[0].ToBoolean()); }

void pause(const Napi::CallbackInfo& info) { Watchdog::get().pause(info[0].ToBoolean()); }

void end_within(const Napi::CallbackInfo& info) {
  Watchdog::get().end_within(info[0].ToNumber(), info[1].ToNumber());
}

}  // namespace

Napi::Object watchdog_object(Napi::Env env, const std::shared_ptr<Signal>& signal) {
  Napi::Object watchdog = Napi::Object::New(env);
  auto arm_here = [signal](const Napi::CallbackInfo& info) { arm(info, signal); };
  watchdog.Set("arm", Napi::Function::New(env, arm_here, "arm"));
  watchdog.Set("echo", Napi::Function::New<echo>(env, "echo"));
  watchdog.Set("pause", Napi::Function::New<pause>(env, "pause"));
  watchdog.Set("endWithin", Napi::Function::New<end_within>(env, "endWithin"));
  return watchdog;
}

}  // namespace llm_host
