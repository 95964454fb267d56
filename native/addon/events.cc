#include <algorithm>

#include "addon/convert.h"

namespace llm_host {
namespace {

void set_number(Napi::Object object, const char* key, double value) {
  object.Set(key, Napi::Number::New(object.Env(), value));
}

void set_text(Napi::Object object, const char* key, const std::string& value) {
  object.Set(key, Napi::String::New(object.Env(), value));
}

Napi::Float32Array to_floats(Napi::Env env, const std::vector<float>& values) {
  auto array = Napi::Float32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

void fill(Napi::Object object, const PrefillEvent& event) {
  set_text(object, "type", "prefill");
  set_number(object, "done", event.done);
  set_number(object, "total", event.total);
  set_number(object, "cached", event.cached);
}

void fill(Napi::Object object, const TokenEvent& event) {
  set_text(object, "type", "token");
  set_number(object, "id", event.id);
  if (!event.logprobs) return;
  const Logprobs& logprobs = *event.logprobs;
  size_t count = logprobs.top_ids.size();
  auto ids = Napi::Int32Array::New(object.Env(), count);
  auto values = Napi::Float32Array::New(object.Env(), count);
  for (size_t i = 0; i < count; ++i) {
    ids[i] = logprobs.top_ids[i];
    values[i] = logprobs.top[i];
  }
  set_number(object, "logprob", logprobs.chosen);
  object.Set("topIds", ids);
  object.Set("topLogprobs", values);
}

void fill(Napi::Object object, const EndEvent& event) {
  set_text(object, "type", "end");
  set_text(object, "reason", event.reason);
  set_number(object, "promptTokens", event.prompt_tokens);
  set_number(object, "cachedTokens", event.cached_tokens);
  set_number(object, "generatedTokens", event.generated_tokens);
  Napi::Object timings = Napi::Object::New(object.Env());
  set_number(timings, "firstTokenMs", event.timings.first_token_ms);
  set_number(timings, "prefillMs", event.timings.prefill_ms);
  set_number(timings, "decodeMs", event.timings.decode_ms);
  object.Set("timings", timings);
  Napi::Object decoding = Napi::Object::New(object.Env());
  set_number(decoding, "passes", event.decoding.passes);
  set_number(decoding, "sequences", event.decoding.sequences);
  set_number(decoding, "proposed", event.decoding.proposed);
  set_number(decoding, "accepted", event.decoding.accepted);
  object.Set("decoding", decoding);
  if (!event.prefix_refusal.empty()) set_text(object, "prefixRefusal", event.prefix_refusal);
  if (!event.prompt_logprobs.empty()) {
    object.Set("promptLogprobs", to_floats(object.Env(), event.prompt_logprobs));
  }
  if (event.graph) {
    Napi::Object graph = Napi::Object::New(object.Env());
    set_number(graph, "primitives", event.graph->primitives);
    Napi::Object launches = Napi::Object::New(object.Env());
    for (const auto& [kind, count] : event.graph->launches) {
      set_number(launches, kind.c_str(), count);
    }
    graph.Set("launches", launches);
    graph.Set("buildMicroseconds", to_floats(object.Env(), event.graph->build_us));
    graph.Set("submitMicroseconds", to_floats(object.Env(), event.graph->submit_us));
    object.Set("graph", graph);
  }
}

void fill(Napi::Object object, const ErrorEvent& event) {
  set_text(object, "type", "error");
  set_text(object, "code", event.code);
  set_text(object, "message", event.message);
}

}  // namespace

Napi::Array to_js(Napi::Env env, const std::vector<Event>& events) {
  Napi::Array array = Napi::Array::New(env, events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    Napi::HandleScope scope(env);
    Napi::Object object = Napi::Object::New(env);
    std::visit([&](const auto& event) { fill(object, event); }, events[i]);
    array.Set(static_cast<uint32_t>(i), object);
  }
  return array;
}

Napi::Object to_js(Napi::Env env, const ModelInfo& info) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "modelType", info.model_type);
  set_number(object, "layers", info.layers);
  set_number(object, "hiddenSize", info.hidden_size);
  set_number(object, "vocabSize", info.vocab_size);
  set_number(object, "contextLength", info.context_length);
  set_number(object, "parameters", static_cast<double>(info.parameters));
  set_number(object, "weightBytes", static_cast<double>(info.weight_bytes));
  set_text(object, "device", info.device);
  object.Set("wantsCheckpoints", info.wants_checkpoints);
  object.Set("adaptersOptional", info.adapters_optional);
  return object;
}

}  // namespace llm_host
