#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace llm_host {

// One tensor in a weight file. JavaScript has read the header and checked the ranges.
struct TensorEntry {
  std::string name;
  std::string dtype;           // "F32", "BF16", "Q4_0", ...: StoredDtype in addon-types.ts
  std::vector<int64_t> shape;  // outermost dimension first
  size_t file = 0;             // index into WeightFiles::files
  uint64_t offset = 0;         // from the start of the file
  uint64_t bytes = 0;
  // Where the tensor is some of the columns of a wider one: bytes from a row in the file to the
  // next. 0: rows follow each other.
  uint64_t row_stride = 0;
};

struct WeightFiles {
  std::vector<std::string> files;  // absolute paths
  std::vector<TensorEntry> tensors;
};

}  // namespace llm_host
