#pragma once

#include <napi.h>

#include <memory>

#include "addon/signal.h"

// The device functions of src/native/addon-types.ts.
namespace llm_host {

// usableMemory(): bytes; 0: the device does not say.
Napi::Value usable_memory(const Napi::CallbackInfo& info);

// probe(): a promise.
Napi::Value probe_device(const Napi::CallbackInfo& info, const std::shared_ptr<Signal>& signal);

}  // namespace llm_host
