#pragma once

#include <napi.h>

#include <cstdint>
#include <map>
#include <memory>

#include "addon/signal.h"
#include "engine/host.h"

namespace llm_host {

// Closes a loaded model when JavaScript no longer can: it was garbage-collected, or its environment
// ended before the load did.
class ModelHandle {
 public:
  explicit ModelHandle(int64_t id) : id_(id) {}
  ModelHandle(const ModelHandle&) = delete;
  ModelHandle& operator=(const ModelHandle&) = delete;
  ~ModelHandle() { Host::get().abandon(id_); }

  int64_t id() const { return id_; }

 private:
  const int64_t id_;
};

// NativeModel of src/native/addon-types.ts.
class ModelObject : public Napi::ObjectWrap<ModelObject> {
 public:
  struct Source {
    std::shared_ptr<ModelHandle> handle;
    ModelInfo info;
    std::shared_ptr<Signal> signal;
  };

  static Napi::Function define(Napi::Env env);
  // Its one argument is an External<Source>.
  explicit ModelObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value start(const Napi::CallbackInfo& info);
  Napi::Value encode(const Napi::CallbackInfo& info);
  Napi::Value take(const Napi::CallbackInfo& info);
  Napi::Value cancel(const Napi::CallbackInfo& info);
  Napi::Value save_cache(const Napi::CallbackInfo& info);
  Napi::Value save_prefix(const Napi::CallbackInfo& info);
  Napi::Value load_cache(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  std::shared_ptr<ModelHandle> handle_;
  std::shared_ptr<Signal> signal_;
};

}  // namespace llm_host
