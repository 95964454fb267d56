#pragma once

#include <string>

#include "mlx/mlx.h"

namespace llm_host {

// Writes a file beside `path` that replaces it when it is finished, and is removed again if it
// never is. Readable by its owner only. Errors are CACHE and name the path.
class AtomicFile final : public mlx::core::io::Writer {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // `durable`: also after a loss of power, which takes longer.
  void finish(bool durable);

  bool is_open() const override { return descriptor_ >= 0; }
  bool good() const override { return is_open(); }
  size_t tell() override;
  void seek(int64_t offset, std::ios_base::seekdir way) override;
  void write(const char* data, size_t size) override;
  std::string label() const override { return path_; }

 private:
  [[noreturn]] void fail() const;

  std::string path_, part_;
  int descriptor_ = -1;
};

}  // namespace llm_host
