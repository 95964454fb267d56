#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache/sequence.h"
#include "engine/job.h"
#include "models/model.h"

namespace llm_host {

// Runs the model over `ids` and appends them to the sequence, in one step. -> hidden states of the
// last `outputs` of them, [1, outputs, H], computed
mx::array append_tokens(const Model& model, Sequence& sequence, std::span<const int32_t> ids,
                        int outputs);

struct Prefill {
  int cached = 0;                   // prompt tokens that the KV cache held already
  std::vector<float> logprobs;      // of each prompt token but the first, if asked for
  std::optional<mx::array> hidden;  // of the last step, [1, >= 1, H]; nothing if cancelled
};

// Makes the sequence hold the job's prompt: keeps the prefix they share and reads the rest, `chunk`
// tokens a step. Reports progress as events; `on_step` is called after each step.
Prefill prefill(const Model& model, Sequence& sequence, Job& job, int chunk,
                const std::function<void()>& on_step);

}  // namespace llm_host
