#include "addon/device.h"

#include "addon/errors.h"
#include "engine/host.h"

namespace llm_host {
namespace {

Napi::Object to_js(Napi::Env env, const DeviceReport& report) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("device", report.device);
  object.Set("workingSetBytes", static_cast<double>(report.memory.working_set));
  object.Set("totalBytes", static_cast<double>(report.memory.total));
  object.Set("freeBytes", static_cast<double>(report.memory.free));
  Napi::Array kernels = Napi::Array::New(env, report.kernels.size());
  for (uint32_t i = 0; i < kernels.Length(); ++i) {
    Napi::Object kernel = Napi::Object::New(env);
    kernel.Set("name", report.kernels[i].name);
    kernel.Set("error", report.kernels[i].error);
    kernels.Set(i, kernel);
  }
  object.Set("kernels", kernels);
  return object;
}

}  // namespace

Napi::Value usable_memory(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    try {
      return Napi::Number::New(info.Env(), static_cast<double>(usable_bytes(device_memory())));
    } catch (const std::exception& error) {
      throw error_of(error, "asking for the device's memory");
    }
  });
}

Napi::Value probe_device(const Napi::CallbackInfo& info, const std::shared_ptr<Signal>& signal) {
  auto deferred = std::make_shared<Napi::Promise::Deferred>(info.Env());
  auto settle = [deferred, signal](Napi::Env env, const ProbeResult& result) {
    signal->release();
    if (result.error) return deferred->Reject(to_js(env, *result.error).Value());
    deferred->Resolve(to_js(env, result.report));
  };
  signal->hold();
  try {
    guarded(info.Env(), [&] {
      Host::get().probe([settle, signal](const ProbeResult& result) {
        signal->post([settle, result](Napi::Env env) { settle(env, result); });
      });
    });
  } catch (const Napi::Error& error) {
    signal->release();
    deferred->Reject(error.Value());
  }
  return deferred->Promise();
}

}  // namespace llm_host
