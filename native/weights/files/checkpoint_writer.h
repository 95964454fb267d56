#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "weights/files/weight_files.h"

namespace llm_host {

// Writes tensors as they come to shard-1.safetensors, shard-2.safetensors, ... in a folder. A shard
// is at most 5 GB, unless a single tensor is larger. Every error names the file.
class CheckpointWriter {
 public:
  // `source`: what is converted. Its names bound the size of a shard's header, for which room is
  // left at the start of the file.
  CheckpointWriter(std::string folder, const WeightFiles& source);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;

  // `dtype` as safetensors names it; `data` in row-major order.
  void add(const std::string& name, const char* dtype, const std::vector<int64_t>& shape,
           const void* data, uint64_t bytes);
  // Completes the last shard: until then its header is missing.
  void finish();

 private:
  void open_shard();
  void close_shard();
  void write(const void* data, uint64_t bytes);
  [[noreturn]] void fail(const char* doing) const;

  std::string folder_;
  uint64_t max_header_;
  int shard_ = 0;
  std::FILE* file_ = nullptr;
  uint64_t data_bytes_ = 0;  // in this shard
  std::string header_;
};

}  // namespace llm_host
