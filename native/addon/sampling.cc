#include "addon/sampling.h"

#include <cmath>
#include <limits>

#include "sample/sampling_ranges.h"

namespace llm_host {
namespace {

// Not a field of requests: a property of the model's adapter.
constexpr SamplingRange kCallConfidence{
    "callConfidence", 0, 1, false, true, "a number of at least 0 and below 1"};

static_assert(kMaxTokens.max <= std::numeric_limits<int32_t>::max());
static_assert(kTopK.max <= std::numeric_limits<int32_t>::max());
static_assert(kSeed.max <= std::numeric_limits<uint32_t>::max());

bool in_range(double value, const SamplingRange& range) {
  return (range.above ? value > range.min : value >= range.min) &&
         (range.below ? value < range.max : value <= range.max);
}

// Rounding to float32 must not carry a value out of its range: 1 - 1e-12 would become 1.
float narrow(double value, const SamplingRange& range) {
  auto low = static_cast<float>(range.min), high = static_cast<float>(range.max);
  auto result = static_cast<float>(value);
  if (range.above && result <= low) return std::nextafter(low, high);
  if (range.below && result >= high) return std::nextafter(high, low);
  return result;
}

float read_float(const Fields& fields, const SamplingRange& range) {
  double value = fields.number(range.name);
  if (!in_range(value, range)) {
    throw Error(kUsage, fields.path(range.name) + " must be " + range.text);
  }
  return narrow(value, range);
}

template <typename Integer>
Integer read_integer(const Fields& fields, const SamplingRange& range) {
  return static_cast<Integer>(fields.integer(range.name, range.min, range.max));
}

}  // namespace

void read_sampling(const Fields& fields, Request& request) {
  request.temperature = read_float(fields, kTemperature);
  request.top_p = read_float(fields, kTopP);
  request.top_k = read_integer<int>(fields, kTopK);
  request.min_p = read_float(fields, kMinP);
  request.repetition_penalty = read_float(fields, kRepetitionPenalty);
  request.presence_penalty = read_float(fields, kPresencePenalty);
  request.frequency_penalty = read_float(fields, kFrequencyPenalty);
  request.call_confidence = read_float(fields, kCallConfidence);
  request.seed = read_integer<uint32_t>(fields, kSeed);
  request.max_tokens = read_integer<int>(fields, kMaxTokens);
  request.logit_bias_ids = fields.ids("logitBiasIds");
  request.logit_bias = fields.floats(kLogitBias.name);
  for (float bias : request.logit_bias) {
    if (in_range(bias, kLogitBias)) continue;
    throw Error(kUsage, fields.path(kLogitBias.name) + ": each must be " + kLogitBias.text);
  }
}

}  // namespace llm_host
