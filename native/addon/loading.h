#pragma once

#include <napi.h>

#include <memory>

#include "addon/signal.h"

namespace llm_host {

// load(spec, onProgress) of src/native/addon-types.ts: always a promise, never a throw.
Napi::Value start_load(const Napi::CallbackInfo& info, const std::shared_ptr<Signal>& signal,
                       Napi::Function model_class);

}  // namespace llm_host
