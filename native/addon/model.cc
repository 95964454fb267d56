#include "addon/model.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "addon/convert.h"
#include "addon/errors.h"
#include "addon/fields.h"

namespace llm_host {
namespace {

// The onReady callback of a job. Only the JavaScript thread touches it, except for `posted`. The
// model thread may be the last to hold it, after the environment is gone: its references must not
// be deleted then.
struct Listener {
  Napi::FunctionReference on_ready;
  Napi::ObjectReference model;  // a job keeps its model from being collected
  std::shared_ptr<Signal> signal;
  std::atomic<bool> posted{false};
};

void notify(const std::shared_ptr<Listener>& listener, bool finished) {
  // The last call lets the process end, so it must be posted. Of the others, one pending is enough.
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

// The onDone callback of an encoding; see Listener.
struct EncodeListener {
  Napi::FunctionReference on_done;
  Napi::ObjectReference model;
  std::shared_ptr<Signal> signal;

  void forget() {
    on_done.Reset();
    model.Reset();
  }
};

void settle(Napi::Env env, EncodeListener& listener, const EncodeResult& result) {
  listener.signal->release();
  Napi::Function on_done = listener.on_done.Value();
  listener.forget();
  if (result.error) {
    on_done.Call({to_js(env, *result.error).Value(), env.Undefined()});
    return;
  }
  auto vectors = Napi::Float32Array::New(env, result.vectors.size());
  std::copy(result.vectors.begin(), result.vectors.end(), vectors.Data());
  on_done.Call({env.Undefined(), vectors});
}

int64_t job_of(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsNumber()) throw Error(kUsage, "job must be a number");
  return info[0].As<Napi::Number>().Int64Value();
}

std::string text_of(const Napi::CallbackInfo& info, size_t index, const char* name) {
  if (info.Length() <= index || !info[index].IsString()) {
    throw Error(kUsage, std::string(name) + " must be a string");
  }
  return info[index].As<Napi::String>().Utf8Value();
}

// A promise for the CacheResult that `queue` passes to its handler. Keeps the model alive until
// then.
Napi::Value promised(const Napi::CallbackInfo& info, const std::shared_ptr<Signal>& signal,
                     const std::function<void(CacheHandler)>& queue) {
  struct Waiting {
    Napi::Promise::Deferred deferred;
    Napi::ObjectReference model;
  };
  Napi::Env env = info.Env();
  auto waiting = std::make_shared<Waiting>(Waiting{Napi::Promise::Deferred(env), {}});
  waiting->model = Napi::Persistent(info.This().As<Napi::Object>());
  waiting->model.SuppressDestruct();
  auto settle = [waiting, signal](Napi::Env env, const CacheResult& result) {
    signal->release();
    waiting->model.Reset();
    if (result.error) return waiting->deferred.Reject(to_js(env, *result.error).Value());
    Napi::Object saved = Napi::Object::New(env);
    saved.Set("tokens", result.saved.tokens);
    saved.Set("bytes", static_cast<double>(result.saved.bytes));
    waiting->deferred.Resolve(saved);
  };
  signal->hold();
  try {
    guarded(env, [&] {
      queue([settle, signal](const CacheResult& result) {
        signal->post([settle, result](Napi::Env env) { settle(env, result); });
      });
    });
  } catch (const Napi::Error& error) {
    // The engine's, or what a property of the arguments threw.
    signal->release();
    waiting->model.Reset();
    waiting->deferred.Reject(error.Value());
  }
  return waiting->deferred.Promise();
}

}  // namespace

Napi::Function ModelObject::define(Napi::Env env) {
  return DefineClass(env, "NativeModel",
                     {
                         InstanceMethod<&ModelObject::start>("start"),
                         InstanceMethod<&ModelObject::encode>("encode"),
                         InstanceMethod<&ModelObject::take>("take"),
                         InstanceMethod<&ModelObject::cancel>("cancel"),
                         InstanceMethod<&ModelObject::save_cache>("saveCache"),
                         InstanceMethod<&ModelObject::save_prefix>("savePrefix"),
                         InstanceMethod<&ModelObject::load_cache>("loadCache"),
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
    } catch (const std::exception&) {
      listener->on_ready.Reset();
      listener->model.Reset();
      throw;
    }
    signal_->hold();
    return Napi::Number::New(info.Env(), static_cast<double>(job));
  });
}

Napi::Value ModelObject::encode(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    EncodeRequest request = to_encode_request(info[0]);
    if (!info[1].IsFunction()) throw Error(kUsage, "onDone must be a function");
    auto listener = std::make_shared<EncodeListener>();
    listener->on_done = Napi::Persistent(info[1].As<Napi::Function>());
    listener->on_done.SuppressDestruct();
    listener->model = Napi::Persistent(info.This().As<Napi::Object>());
    listener->model.SuppressDestruct();
    listener->signal = signal_;
    auto on_done = [listener](EncodeResult result) {
      auto kept = std::make_shared<EncodeResult>(std::move(result));
      listener->signal->post([listener, kept](Napi::Env env) { settle(env, *listener, *kept); });
    };
    int64_t job = 0;
    try {
      job = Host::get().encode(handle_->id(), std::move(request), std::move(on_done));
    } catch (const std::exception&) {
      listener->forget();
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

Napi::Value ModelObject::save_cache(const Napi::CallbackInfo& info) {
  return promised(info, signal_, [&](CacheHandler on_done) {
    CacheTarget target{text_of(info, 0, "path"), text_of(info, 1, "modelHash")};
    Host::get().save_cache(handle_->id(), std::move(target), std::move(on_done));
  });
}

Napi::Value ModelObject::save_prefix(const Napi::CallbackInfo& info) {
  return promised(info, signal_, [&](CacheHandler on_done) {
    Fields fields(info[0], "prefix");
    CacheTarget target{fields.text("path"), fields.text("modelHash"),
                       static_cast<uint64_t>(fields.integer("maxBytes", 0, 1e15)), false};
    Needs needs{fields.boolean("reproducible"), fields.boolean("adapted")};
    Host::get().save_prefix(handle_->id(), fields.ids("ids"), needs, std::move(target),
                            std::move(on_done));
  });
}

Napi::Value ModelObject::load_cache(const Napi::CallbackInfo& info) {
  return promised(info, signal_, [&](CacheHandler on_done) {
    Host::get().load_cache(handle_->id(), to_cache_file(info[0]), std::move(on_done));
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
