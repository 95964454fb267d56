#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace llm_host {

// A weight file, read by position. Every error is MODEL_BROKEN and names the file.
class File {
 public:
  explicit File(std::string path);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  const std::string& path() const { return path_; }

  // Throws unless the file has `bytes` bytes from `offset` on; the error names `what`.
  void check_range(uint64_t bytes, uint64_t offset, const std::string& what) const;
  // Reads exactly `bytes` bytes or throws an error that names `what`. Calls `on_chunk(bytes)` after
  // each chunk; it may throw to stop.
  void read(void* data, uint64_t bytes, uint64_t offset, const std::string& what,
            const std::function<void(uint64_t)>& on_chunk) const;

 private:
  std::string path_;
  int descriptor_;
  uint64_t size_;
};

}  // namespace llm_host
