#pragma once

#include <string_view>

#include "common/value.h"

namespace llm_host {

// A size in config.json, from 1 to `most`: far beyond any model, but memory for some sizes is taken
// before a weight shows that they are wrong, and products of two are ints. Throws MODEL_BROKEN.
int size_of(const Config& config, std::string_view key, int most);
int size_or(const Config& config, std::string_view key, int fallback, int most);

}  // namespace llm_host
