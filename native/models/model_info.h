#pragma once

#include <cstdint>
#include <string>

namespace llm_host {

// A loaded model: ModelInfo in src/native/addon-types.ts, where the fields are explained.
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
  bool adapters_optional = false;
};

}  // namespace llm_host
