#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "weights/files/weight_files.h"

namespace llm_host {

// A saved KV cache, whose header and model hash JavaScript has checked.
struct CacheFile {
  WeightFiles weights;
  std::string checksum;  // of all tensors, as hexadecimal digits

  const std::string& path() const { return weights.files.at(0); }
  // How many it has keys and values of.
  int64_t tokens() const {
    for (const TensorEntry& tensor : weights.tensors) {
      if (tensor.name == "ids" && tensor.shape.size() == 1) return tensor.shape[0];
    }
    return 0;
  }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const TensorEntry& tensor : weights.tensors) sum += tensor.bytes;
    return sum;
  }
};

// How to save one.
struct CacheTarget {
  std::string path;
  std::string model_hash;
  uint64_t max_bytes = std::numeric_limits<uint64_t>::max();  // more are refused
  bool durable = true;
};

// A cache that was saved or loaded.
struct SavedCache {
  int tokens = 0;
  uint64_t bytes = 0;
};

}  // namespace llm_host
