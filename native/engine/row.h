#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layers/model_cache.h"

namespace llm_host {

// One sequence of a batch: its KV cache and exactly the tokens that are in it.
struct Row {
  explicit Row(ModelCache cache) : cache(std::move(cache)) {}

  ModelCache cache;
  std::vector<int32_t> ids;

  void trim(int length) {
    cache.trim(length);
    ids.resize(static_cast<size_t>(length));
  }
};

}  // namespace llm_host
