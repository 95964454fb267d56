#pragma once

#include <cstdint>

#include "weights/files/weight_files.h"

namespace llm_host {

// A saved KV cache, whose header and model hash JavaScript has checked.
struct CacheFile {
  WeightFiles weights;

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const TensorEntry& tensor : weights.tensors) sum += tensor.bytes;
    return sum;
  }
};

// What was saved or loaded.
struct SavedCache {
  int tokens = 0;
  uint64_t bytes = 0;
};

}  // namespace llm_host
