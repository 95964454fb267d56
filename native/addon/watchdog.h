#pragma once

#include <napi.h>

#include <memory>

#include "addon/signal.h"

namespace llm_host {

// `watchdog` of NativeAddon.
Napi::Object watchdog_object(Napi::Env env, const std::shared_ptr<Signal>& signal);

}  // namespace llm_host
