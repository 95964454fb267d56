#include "engine/job/request.h"

#include "common/error.h"
#include "sample/sampler.h"

namespace llm_host {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(kUsage, message); }

void check_ids(const std::vector<int32_t>& ids, int vocab_size, const char* name) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= vocab_size) {
      refuse(std::string(name) + "[" + std::to_string(i) + "] must be a token id from 0 to " +
             std::to_string(vocab_size - 1) + ", got " + std::to_string(ids[i]));
    }
  }
}

void check_logit_bias(const ModelInfo& info, const Request& r) {
  check_ids(r.logit_bias_ids, info.vocab_size, "logitBiasIds");
  if (r.logit_bias.size() != r.logit_bias_ids.size()) {
    refuse("logitBias must hold one number for each of logitBiasIds");
  }
}

// Without a token that may be sampled there would be nothing to choose from.
void check_allowed_first(const ModelInfo& info, const std::vector<uint8_t>& allowed) {
  if (allowed.empty()) return;
  auto tokens = static_cast<size_t>(info.vocab_size);
  if (allowed.size() != (tokens + 7) / 8) {
    refuse("allowedFirst must hold a bit for each of " + std::to_string(tokens) + " tokens");
  }
  for (size_t id = 0; id < tokens; ++id) {
    if (is_allowed(allowed, id)) return;
  }
  refuse("allowedFirst must allow a token");
}

}  // namespace

void check_request(const ModelInfo& info, const Request& r) {
  if (r.prompt_ids.empty()) refuse("promptIds must hold at least one token");
  check_ids(r.prompt_ids, info.vocab_size, "promptIds");
  check_ids(r.stop_ids, info.vocab_size, "stopIds");
  check_logit_bias(info, r);
  if (!r.adapted && !info.adapters_optional) {
    refuse("adapted must be true: the model was loaded with adapters that always apply, or none");
  }
  if (r.logprobs < -1 || r.logprobs > 20) refuse("logprobs must be from -1 to 20");
  for (int32_t position : r.checkpoints) {
    if (position < 1 || static_cast<size_t>(position) > r.prompt_ids.size()) {
      refuse("checkpoints must be from 1 to the length of the prompt, got " +
             std::to_string(position));
    }
  }
  if (r.prefill_chunk < 0) refuse("prefillChunk must be at least 0");
  check_allowed_first(info, r.allowed_first);
  if (r.call_start < -1 || r.call_start >= info.vocab_size) {
    refuse("callStart must be a token id, got " + std::to_string(r.call_start));
  }
  if (r.continued < 0 || static_cast<size_t>(r.continued) > r.prompt_ids.size()) {
    refuse("continued must be from 0 to the length of the prompt");
  }
  if (r.prompt_ids.size() > static_cast<size_t>(info.context_length)) {
    throw Error(kContextFull, "the prompt has " + std::to_string(r.prompt_ids.size()) +
                                  " tokens, the context holds " +
                                  std::to_string(info.context_length));
  }
}

}  // namespace llm_host
