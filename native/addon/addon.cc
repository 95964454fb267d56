#include <napi.h>

#include <mutex>

#include "addon/convert.h"
#include "addon/device.h"
#include "addon/errors.h"
#include "addon/loading.h"
#include "addon/model.h"
#include "addon/signal.h"
#include "addon/watchdog.h"
#include "common/mlx_environment.h"
#include "engine/distributed/group_progress.h"
#include "engine/host.h"

namespace llm_host {
namespace {

// State of one JavaScript environment: each worker thread has its own.
struct Instance {
  std::shared_ptr<Signal> signal;
  Napi::FunctionReference model_class;
};

Napi::Value load(const Napi::CallbackInfo& info) {
  auto* instance = info.Env().GetInstanceData<Instance>();
  return start_load(info, instance->signal, instance->model_class.Value());
}

Napi::Value memory(const Napi::CallbackInfo& info) {
  MemoryInfo memory = Host::get().memory();
  Napi::Object object = Napi::Object::New(info.Env());
  object.Set("activeBytes", static_cast<double>(memory.active_bytes));
  object.Set("peakBytes", static_cast<double>(memory.peak_bytes));
  object.Set("cacheBytes", static_cast<double>(memory.cache_bytes));
  return object;
}

Napi::Value layout(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    try {
      return Napi::String::New(info.Env(), weight_layout(info[0].ToBoolean().Value()));
    } catch (const std::exception& error) {
      throw error_of(error, "asking for the device");
    }
  });
}

Napi::Value probe(const Napi::CallbackInfo& info) {
  return probe_device(info, info.Env().GetInstanceData<Instance>()->signal);
}

Napi::Value abandon_group(const Napi::CallbackInfo& info) {
  Host::get().abandon_group(info[0].ToString().Utf8Value());
  return info.Env().Undefined();
}

Napi::Value progress_of_group(const Napi::CallbackInfo& info) {
  GroupProgress progress = group_progress();
  Napi::Object object = Napi::Object::New(info.Env());
  object.Set("sums", static_cast<double>(progress.begun));
  object.Set("waits", progress.waits);
  object.Set("bytes", static_cast<double>(progress.bytes));
  return object;
}

Napi::Value shutdown(const Napi::CallbackInfo& info) {
  Host::get().shutdown();
  return info.Env().Undefined();
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  static std::once_flag once;
  std::call_once(once, prepare_mlx_environment);
  auto* instance = new Instance;
  instance->signal = Signal::create(env);
  instance->model_class = Napi::Persistent(ModelObject::define(env));
  env.SetInstanceData(instance);
  // Hooks run in reverse order: this one before the thread-safe function's own.
  env.AddCleanupHook([signal = instance->signal] { signal->close(); });

  MlxVersions mlx = mlx_versions();
  Napi::Object versions = Napi::Object::New(env);
  versions.Set("mlxBuilt", mlx.built);
  versions.Set("mlxLoaded", mlx.loaded);
  exports.Set("versions", versions);
  exports.Set("load", Napi::Function::New<load>(env, "load"));
  exports.Set("weightLayout", Napi::Function::New<layout>(env, "weightLayout"));
  exports.Set("usableMemory", Napi::Function::New<usable_memory>(env, "usableMemory"));
  exports.Set("probe", Napi::Function::New<probe>(env, "probe"));
  exports.Set("memory", Napi::Function::New<memory>(env, "memory"));
  exports.Set("watchdog", watchdog_object(env, instance->signal));
  exports.Set("abandonGroup", Napi::Function::New<abandon_group>(env, "abandonGroup"));
  exports.Set("groupProgress", Napi::Function::New<progress_of_group>(env, "groupProgress"));
  exports.Set("shutdown", Napi::Function::New<shutdown>(env, "shutdown"));
  return exports;
}

}  // namespace
}  // namespace llm_host

static Napi::Object init_addon(Napi::Env env, Napi::Object exports) {
  return llm_host::init(env, exports);
}
NODE_API_MODULE(llm_host, init_addon)
