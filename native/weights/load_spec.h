#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/value.h"
#include "weights/files/weight_files.h"

namespace llm_host {

struct PartialModules;

struct AdapterSpec {
  WeightFiles weights;
  float scale = 0;
  bool transposed = false;
};

struct QuantizeSpec {
  std::string mode;
  int bits = 0;
  int group_size = 0;
};

// A matrix behind the pooling: `dense.<index>.linear` in the weights.
struct DenseSpec {
  int out = 0;
  bool bias = false;
  std::string activation;  // "identity" or "tanh"
};

// How a model turns a text into one vector, instead of generating text.
struct EncoderSpec {
  std::string pooling;  // see pooling_of
  std::vector<DenseSpec> dense;
};

// The model to load and how to hold it: LoadSpec in src/native/addon-types.ts explains the fields.
struct LoadSpec {
  Value config;
  WeightFiles weights;
  bool gguf = false;
  float norm_shift = 0;
  std::vector<AdapterSpec> adapters;
  bool adapters_optional = false;
  std::optional<QuantizeSpec> quantize;
  std::string save_to;  // a folder; "" = save nothing
  int context_length = 0;
  int kv_bits = 0;
  bool exact = false;
  std::optional<EncoderSpec> encoder;
  uint64_t cache_bytes = 0;
  int parallel = 1;
  double max_gap_ms = 100;          // between the tokens of a stream, beside others' prompts
  std::shared_ptr<LoadSpec> draft;  // of a smaller model that proposes tokens, or null
  // Milliseconds to wait for the other processes that share the model; none: it is whole.
  std::optional<int> group_limit_ms;
  int group_join_ms = 0;                          // until all are there; 0: as long as that
  std::shared_ptr<const PartialModules> partial;  // set by part_of (layers/sharding), or null
};

}  // namespace llm_host
