#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/value.h"

// The C++ side of src/native/addon-types.ts; the fields mean what they mean there.
namespace llm_host {

struct TensorEntry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  size_t file = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct WeightFiles {
  std::vector<std::string> files;
  std::vector<TensorEntry> tensors;
};

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

struct LoadSpec {
  Value config;
  WeightFiles weights;
  bool gguf = false;
  float norm_shift = 0;
  std::vector<AdapterSpec> adapters;
  std::optional<QuantizeSpec> quantize;
  std::string save_to;  // "" = nowhere
  int context_length = 0;
  int kv_bits = 0;
  // The CPU multiplies weights by float32 activations, not by rounded ones.
  bool exact = false;
  // For the caches of several conversations; 0: one, of any size.
  uint64_t cache_bytes = 0;
};

struct ModelInfo {
  std::string model_type;
  int layers = 0;
  int hidden_size = 0;
  int vocab_size = 0;
  int context_length = 0;
  uint64_t parameters = 0;
  uint64_t weight_bytes = 0;
  std::string device;
  bool wants_checkpoints = false;
};

struct Request {
  std::vector<int32_t> prompt_ids;
  int max_tokens = 1;
  float temperature = 0;
  float top_p = 1;
  int top_k = 0;
  float min_p = 0;
  std::vector<int32_t> logit_bias_ids;
  std::vector<float> logit_bias;  // of each of the ids
  float repetition_penalty = 1;
  float presence_penalty = 0;
  float frequency_penalty = 0;
  uint32_t seed = 0;
  std::vector<int32_t> stop_ids;
  int logprobs = -1;
  int prefill_chunk = 0;
  std::vector<int32_t> checkpoints;
  bool prompt_logprobs = false;
  bool measure_graph = false;
  std::vector<uint8_t> allowed_first;  // a bit for each token, lowest first; empty = all
  int continued = 0;
};

struct Timings {
  double first_token_ms = 0;
  double prefill_ms = 0;
  double decode_ms = 0;
};

struct Logprobs {
  float chosen = 0;
  std::vector<int32_t> top_ids;
  std::vector<float> top;
};

struct PrefillEvent {
  int done = 0;
  int total = 0;
  int cached = 0;
};

struct TokenEvent {
  int32_t id = 0;
  std::optional<Logprobs> logprobs;
};

// Decoding steps as the host sees them: a value for each.
struct GraphStats {
  int primitives = 0;
  std::vector<float> build_us;
  std::vector<float> submit_us;
};

struct EndEvent {
  const char* reason = "stop";  // "stop", "length", "full" or "cancelled"
  int prompt_tokens = 0;
  int cached_tokens = 0;
  int generated_tokens = 0;
  Timings timings;
  std::vector<float> prompt_logprobs;  // if asked for
  std::optional<GraphStats> graph;
};

struct ErrorEvent {
  std::string code;
  std::string message;
};

using Event = std::variant<PrefillEvent, TokenEvent, EndEvent, ErrorEvent>;

// A saved KV cache, whose header and model hash JavaScript has checked.
struct CacheFile {
  WeightFiles weights;

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const TensorEntry& tensor : weights.tensors) sum += tensor.bytes;
    return sum;
  }
};

struct SavedCache {
  int tokens = 0;
  uint64_t bytes = 0;
};

struct MemoryInfo {
  uint64_t active_bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t cache_bytes = 0;
};

}  // namespace llm_host
