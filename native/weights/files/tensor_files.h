#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "weights/files/file.h"
#include "weights/files/weight_files.h"

namespace llm_host {

// The tensors of a set of weight files, by name. Every error names the tensor and its file.
class TensorFiles {
 public:
  // `weights` must outlive this.
  explicit TensorFiles(const WeightFiles& weights);

  // nullptr if there is none.
  const TensorEntry* find(const std::string& name) const;
  // All of them, by name.
  const std::map<std::string, const TensorEntry*>& entries() const { return entries_; }

  // Reads `bytes` bytes from `start` bytes into the tensor. `on_chunk` as in File::read.
  void read(const TensorEntry& entry, void* data, uint64_t bytes, uint64_t start,
            const std::function<void(uint64_t)>& on_chunk) const;
  // "tensor NAME (FILE)"
  std::string name_of(const TensorEntry& entry) const;
  // " (looked in FILE)", or the first of several; "" if there are none.
  std::string where() const;
  // Throws MODEL_BROKEN unless the tensor has `expected` bytes, inside its file: nothing larger
  // than a file is ever allocated for it.
  void check_bytes(const TensorEntry& entry, uint64_t expected) const;
  // Throws MODEL_BROKEN unless the tensor has this shape.
  void check_shape(const TensorEntry& entry, const std::vector<int64_t>& expected) const;

 private:
  std::vector<File> files_;
  std::map<std::string, const TensorEntry*> entries_;
};

// Number of elements; throws MODEL_BROKEN if it is 0 or above 2^40.
uint64_t elements(const TensorEntry& entry);

}  // namespace llm_host
