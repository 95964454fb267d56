#pragma once

#include <napi.h>

#include <cstdint>
#include <map>
#include <memory>

#include "addon/signal.h"
#include "engine/host.h"

namespace llm_host {

// NativeModel of src/native/addon-types.ts.
class ModelObject : public Napi::ObjectWrap<ModelObject> {
 public:
  struct Source {
    LoadResult loaded;
    std::shared_ptr<Signal> signal;
  };

  static Napi::Function define(Napi::Env env);
  // Its one argument is an External<Source>.
  explicit ModelObject(const Napi::CallbackInfo& info);
  ~ModelObject() override;

 private:
  Napi::Value start(const Napi::CallbackInfo& info);
  Napi::Value take(const Napi::CallbackInfo& info);
  Napi::Value cancel(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  int64_t id_ = 0;
  std::shared_ptr<Signal> signal_;
};

}  // namespace llm_host
