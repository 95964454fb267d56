#include "layers/sharding/cut.h"

#include "common/error.h"
#include "weights/files/dtypes.h"
#include "weights/files/tensor_files.h"
#include "weights/ggml/ggml.h"

namespace llm_host {
namespace {

[[noreturn]] void refuse(const TensorEntry& entry, int64_t size, const char* what, int count) {
  throw Error(kModelUnsupported, "tensor " + entry.name + " has " + std::to_string(size) + " " +
                                     what + ", which cannot be divided by " +
                                     std::to_string(count) + " processes");
}

// Bytes of a row in the file.
uint64_t row_bytes_of(const TensorEntry& entry) {
  if (!entry.shape.empty()) {
    uint64_t rows = elements(entry) / static_cast<uint64_t>(entry.shape.back());
    if (entry.bytes % rows == 0) return entry.bytes / rows;
  }
  throw Error(kModelBroken, "tensor " + entry.name + " has " + std::to_string(entry.bytes) +
                                " bytes, which are no whole rows");
}

}  // namespace

void cut_rows(TensorEntry& entry, int index, int count) {
  row_bytes_of(entry);
  if (entry.shape[0] % count != 0) refuse(entry, entry.shape[0], "rows", count);
  entry.shape[0] /= count;
  entry.bytes /= static_cast<uint64_t>(count);
  entry.offset += entry.bytes * static_cast<uint64_t>(index);
}

void cut_columns(TensorEntry& entry, int index, int count, int group) {
  uint64_t stride = row_bytes_of(entry);
  int64_t columns = entry.shape.back();
  const GgmlType* ggml = ggml_type(entry.dtype);
  int64_t unit = ggml != nullptr ? ggml->block : 1;
  // Rows that are no whole groups stay as they are, and so must their parts.
  if (float_dtype_of(entry.dtype) && columns % group == 0) unit = group;
  if (columns % (unit * count) != 0 || stride % static_cast<uint64_t>(count) != 0) {
    refuse(entry, columns, unit > 1 ? "columns in whole groups" : "columns", count);
  }
  entry.shape.back() /= count;
  entry.bytes /= static_cast<uint64_t>(count);
  entry.offset += stride / static_cast<uint64_t>(count) * static_cast<uint64_t>(index);
  entry.row_stride = stride;
}

}  // namespace llm_host
