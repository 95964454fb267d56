#pragma once

#include <napi.h>

#include <vector>

#include "common/value.h"
#include "engine/cache/saved_cache.h"
#include "engine/job/encode_job.h"
#include "engine/job/events.h"
#include "engine/job/request.h"
#include "models/model_info.h"
#include "weights/load_spec.h"

// JavaScript values to engine structures and back. A wrong type throws USAGE and names the field.
namespace llm_host {

Value to_value(const Napi::Value& value);
LoadSpec to_load_spec(const Napi::Value& value);
CacheFile to_cache_file(const Napi::Value& value);
Request to_request(const Napi::Value& value);
EncodeRequest to_encode_request(const Napi::Value& value);

Napi::Object to_js(Napi::Env env, const ModelInfo& info);
Napi::Array to_js(Napi::Env env, const std::vector<Event>& events);

}  // namespace llm_host
