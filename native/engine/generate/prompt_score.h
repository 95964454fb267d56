#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/model.h"

namespace llm_host {

// Appends to `scores` the log-probability of each of `next` [L], given the positions of `hidden`
// [1, >= L, H].
void append_scores(const Model& model, const mx::array& hidden, std::span<const int32_t> next,
                   std::vector<float>& scores);

}  // namespace llm_host
