#pragma once

#include <functional>

#include "weights/files/tensor_reader.h"

namespace llm_host {

// Reads the rows of a tensor in parts, one on each thread at a time.
class RowParts {
 public:
  // `row_bytes` of the file a row; a part has a multiple of `unit` rows, the last one fewer.
  RowParts(TensorReader& reader, const TensorEntry& entry, int64_t rows, int64_t row_bytes,
           int64_t unit);

  // Calls body(first, count, bytes) for rows [first, first + count), on any thread. What it throws
  // for the lowest rows ends the reading, as does a report of progress that throws.
  void each(const std::function<void(int64_t, int64_t, const uint8_t*)>& body);

 private:
  void read(int64_t part, const std::function<void(int64_t, int64_t, const uint8_t*)>& body) const;

  TensorReader& reader_;
  const TensorEntry& entry_;
  int64_t rows_, row_bytes_, part_rows_;
};

}  // namespace llm_host
