#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/model.h"

namespace llm_host {

// Appends to `scores` the natural logarithm of the probability that the model gives to each of
// `next` [L] after the positions of `hidden` [1, >= L, H].
void append_scores(const Model& model, const mx::array& hidden, std::span<const int32_t> next,
                   std::vector<float>& scores);

}  // namespace llm_host
