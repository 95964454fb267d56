#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sample/logprobs.h"

namespace llm_host {

// The events of a generation: NativeEvent in src/native/addon-types.ts.

// Prompt tokens: `done` of `total` are in the KV cache, `cached` were there before.
struct PrefillEvent {
  int done = 0;
  int total = 0;
  int cached = 0;
};

struct TokenEvent {
  int32_t id = 0;
  std::optional<Logprobs> logprobs;
};

struct Timings {
  double first_token_ms = 0;
  double prefill_ms = 0;
  double decode_ms = 0;
};

// Statistics of decoding: how many passes over the weights, with how many sequences in all of them,
// and how many tokens were proposed and accepted.
struct DecodingStats {
  int passes = 0;
  int sequences = 0;
  int proposed = 0;
  int accepted = 0;
};

// The host's work for each decoding step, in microseconds of the model thread's processor time.
struct GraphStats {
  int primitives = 0;                   // operations in a step's graph
  std::map<std::string, int> launches;  // see StepGraph
  std::vector<float> build_us;          // [steps]
  std::vector<float> submit_us;         // [steps]
};

struct EndEvent {
  const char* reason = "stop";  // "stop", "length", "full" or "cancelled"
  int prompt_tokens = 0;
  int cached_tokens = 0;
  int generated_tokens = 0;
  Timings timings;
  DecodingStats decoding;
  std::string prefix_refusal;          // why the request's `prefix` cannot be used
  std::vector<float> prompt_logprobs;  // if asked for
  std::optional<GraphStats> graph;
};

struct ErrorEvent {
  std::string code;
  std::string message;
};

using Event = std::variant<PrefillEvent, TokenEvent, EndEvent, ErrorEvent>;

}  // namespace llm_host
