#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/cache/saved_cache.h"
#include "models/model_info.h"

namespace llm_host {

// Whether to propose tokens by what the prompt and the reply have said before: where that pays, or
// wherever it is possible (for tests).
enum class Lookup { kOff, kWherePaid, kAlways };

// One generation: NativeRequest in src/native/addon-types.ts, where the fields are explained.
struct Request {
  std::vector<int32_t> prompt_ids;
  int max_tokens = 1;
  float temperature = 0;
  float top_p = 1;
  int top_k = 0;
  float min_p = 0;
  std::vector<int32_t> logit_bias_ids;
  std::vector<float> logit_bias;  // of each of the ids
  float repetition_penalty = 1;
  float presence_penalty = 0;
  float frequency_penalty = 0;
  uint32_t seed = 0;
  bool reproducible = false;
  bool adapted = true;  // false: without the model's adapters
  Lookup lookup = Lookup::kOff;
  std::vector<int32_t> stop_ids;
  int logprobs = -1;
  int prefill_chunk = 0;
  std::vector<int32_t> checkpoints;
  bool prompt_logprobs = false;
  bool measure_graph = false;
  std::vector<uint8_t> allowed_first;  // a bit for each token, lowest first; empty = all
  int continued = 0;
  int32_t call_start = -1;  // may come first if it is as likely as call_confidence; -1 = none
  float call_confidence = 0;
  std::optional<CacheFile> prefix;  // with the prompt's beginning
};

// Checks what depends on the model or on other fields; the addon has checked each value's range.
// Throws USAGE, or CONTEXT_FULL for a prompt longer than the context.
void check_request(const ModelInfo& info, const Request& request);

}  // namespace llm_host
