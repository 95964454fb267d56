#include "addon/model.h"

#include <atomic>
#include <optional>

#include "addon/convert.h"
#include "addon/errors.h"

namespace llm_host {
namespace {

// The onReady callback of a job; touched on the JavaScript thread only, but for `posted`. The model
// thread may be the last to hold it, when the environment is gone: then its references must not be
// deleted.
struct Listener {
  Napi::FunctionReference on_ready;
  Napi::ObjectReference model;  // a job keeps its model from being collected
  std::shared_ptr<Signal> signal;
  std::atomic<bool> posted{false};
};

void notify(const std::shared_ptr<Listener>& listener, bool finished) {
  // The last call must come, since it lets the process end; of the others one on its way is enough.
  if (!finished && listener->posted.exchange(true)) return;
  listener->signal->post([listener, finished](Napi::Env) {
    listener->posted = false;
    if (listener->on_ready.IsEmpty()) return;
    Napi::Function on_ready = listener->on_ready.Value();
    if (finished) {
      listener->signal->release();
      listener->on_ready.Reset();
      listener->model.Reset();
    }
    on_ready.Call({});
  });
}

int64_t job_of(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsNumber()) throw Error(kUsage, "job must be a number");
  return info[0].As<Napi::Number>().Int64Value();
}

}  // namespace

Napi::Function ModelObject::define(Napi::Env env) {
  return DefineClass(env, "NativeModel",
                     {
                         InstanceMethod<&ModelObject::start>("start"),
                         InstanceMethod<&ModelObject::take>("take"),
                         InstanceMethod<&ModelObject::cancel>("cancel"),
                         InstanceMethod<&ModelObject::close>("close"),
                     });
}

ModelObject::ModelObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (info.Length() != 1 || !info[0].IsExternal()) {
    throw Napi::TypeError::New(info.Env(), "NativeModel is made by load() only");
  }
  auto* source = info[0].As<Napi::External<Source>>().Data();
  handle_ = source->handle;
  signal_ = source->signal;
  info.This().As<Napi::Object>().DefineProperty(
      Napi::PropertyDescriptor::Value("info", to_js(info.Env(), source->info), napi_enumerable));
}

Napi::Value ModelObject::start(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    Request request = to_request(info[0]);
    if (!info[1].IsFunction()) throw Error(kUsage, "onReady must be a function");
    auto listener = std::make_shared<Listener>();
    listener->on_ready = Napi::Persistent(info[1].As<Napi::Function>());
    listener->on_ready.SuppressDestruct();
    listener->model = Napi::Persistent(info.This().As<Napi::Object>());
    listener->model.SuppressDestruct();
    listener->signal = signal_;
    int64_t job = 0;
    try {
      job = Host::get().start(handle_->id(), std::move(request),
                              [listener](bool finished) { notify(listener, finished); });
    } catch (const Error&) {
      listener->on_ready.Reset();
      listener->model.Reset();
      throw;
    }
    signal_->hold();
    return Napi::Number::New(info.Env(), static_cast<double>(job));
  });
}

Napi::Value ModelObject::take(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return to_js(info.Env(), Host::get().take(job_of(info)));
  });
}

Napi::Value ModelObject::cancel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    Host::get().cancel(job_of(info));
    return info.Env().Undefined();
  });
}

Napi::Value ModelObject::close(const Napi::CallbackInfo& info) {
  auto deferred = std::make_shared<Napi::Promise::Deferred>(info.Env());
  signal_->hold();
  Host::get().close(handle_->id(), [deferred, signal = signal_] {
    signal->post([deferred, signal](Napi::Env env) {
      signal->release();
      deferred->Resolve(env.Undefined());
    });
  });
  return deferred->Promise();
}

}  // namespace llm_host
