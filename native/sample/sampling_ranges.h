// Written from src/text/sampling/fields.ts by `npx vitest run test/text/sampling -u`; do not edit.
#pragma once

namespace llm_host {

struct SamplingRange {
  const char* name;
  double min;
  double max;
  bool above;  // min itself is out of range
  bool below;  // max itself is out of range
  const char* text;
};

// clang-format off
inline constexpr SamplingRange kTemperature{"temperature", 0, 5, false, false, "a number from 0 to 5"};
inline constexpr SamplingRange kTopP{"topP", 0, 1, true, false, "a number above 0 and at most 1"};
inline constexpr SamplingRange kTopK{"topK", 0, 2147483647, false, false, "an integer from 0 to 2147483647"};
inline constexpr SamplingRange kMinP{"minP", 0, 1, false, true, "a number of at least 0 and below 1"};
inline constexpr SamplingRange kRepetitionPenalty{"repetitionPenalty", 0, 10, true, false, "a number above 0 and at most 10"};
inline constexpr SamplingRange kPresencePenalty{"presencePenalty", -2, 2, false, false, "a number from -2 to 2"};
inline constexpr SamplingRange kFrequencyPenalty{"frequencyPenalty", -2, 2, false, false, "a number from -2 to 2"};
inline constexpr SamplingRange kLogitBias{"logitBias", -100, 100, false, false, "a number from -100 to 100"};
inline constexpr SamplingRange kSeed{"seed", 0, 4294967295, false, false, "an integer from 0 to 4294967295"};
inline constexpr SamplingRange kMaxTokens{"maxTokens", 1, 2147483647, false, false, "an integer from 1 to 2147483647"};
// clang-format on

}  // namespace llm_host
