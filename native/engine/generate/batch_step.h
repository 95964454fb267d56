#pragma once

#include <span>

#include "engine/distributed/decisions.h"
#include "engine/generate/generation.h"

namespace llm_host {

// Starts the next step of several generations, each of which `advances`, in one pass over the
// weights, all with the model's adapters or all without. If this throws, the sequences of none of
// them may be used again. `decisions`: of a model that processes share, else null.
Pass launch_step(const Model& model, std::span<Generation* const> sequences,
                 Decisions* decisions = nullptr);

}  // namespace llm_host
