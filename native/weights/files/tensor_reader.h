#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mlx/mlx.h"
#include "weights/files/tensor_files.h"

namespace llm_host {

namespace mx = mlx::core;

// Bytes read and to read in a load; `report(done, total)` may throw to stop it.
struct LoadProgress {
  std::function<void(uint64_t, uint64_t)> report;
  uint64_t done = 0;
  uint64_t total = 0;
};

// Reads tensors of a set of weight files into arrays of their stored type. A float that is infinite
// or NaN throws MODEL_BROKEN and names the tensor and its file.
class TensorReader {
 public:
  // Both must outlive the reader.
  TensorReader(const WeightFiles& weights, LoadProgress& progress);

  const TensorFiles& files() const { return files_; }
  // Throws MODEL_BROKEN if there is no such tensor.
  const TensorEntry& entry(const std::string& name);
  // Names that `entry` was never asked for.
  std::vector<std::string> unused() const;

  // The whole tensor, which must be of this type.
  mx::array read(const TensorEntry& entry, mx::Dtype type);
  // A tensor of type F32, F16 or BF16, in that type.
  mx::array read_float(const TensorEntry& entry);
  // Scales of a mode other than affine.
  mx::array read_byte_scales(const TensorEntry& entry, const std::string& mode);
  // Reads `bytes` bytes from byte `start` of the tensor on; checks no floats.
  void read_bytes(const TensorEntry& entry, void* data, uint64_t bytes, uint64_t start);
  // As `read`, without a report and from any thread; call `report` afterwards.
  void read_part(const TensorEntry& entry, void* data, uint64_t bytes, uint64_t start) const;
  // That so many bytes more have been read; may throw to stop the load.
  void report(uint64_t bytes);
  // Throws MODEL_BROKEN for the float at `index` of the tensor.
  [[noreturn]] void refuse_not_finite(const TensorEntry& entry, uint64_t index) const;
  // Throws if one of `count` floats is not finite; `first`: the index of the first one in the
  // tensor.
  void check_finite(const TensorEntry& entry, mx::Dtype type, const void* data, size_t count,
                    uint64_t first) const;

 private:
  TensorFiles files_;
  LoadProgress& progress_;
  std::set<std::string> used_;
};

// The index of the first of `count` float32, float16 or bfloat16 values that is infinite or NaN; -1
// if all are finite.
int64_t first_not_finite(mx::Dtype type, const void* data, size_t count);

}  // namespace llm_host
