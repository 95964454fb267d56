#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace llm_host {

// Writes tensors to shard-1.safetensors, shard-2.safetensors and so on in a folder as they come:
// each shard is at most 5 GB, but for a single tensor that is greater. Every error names the file.
class CheckpointWriter {
 public:
  // `max_header` bounds the bytes of a shard's header, for which room is left at its start.
  CheckpointWriter(std::string folder, uint64_t max_header);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;

  // `dtype` as in safetensors. Data are `bytes` bytes in row-major order.
  void add(const std::string& name, const char* dtype, const std::vector<int64_t>& shape,
           const void* data, uint64_t bytes);
  // Ends the last shard; nothing is complete before.
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
