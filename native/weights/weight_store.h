#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/spec.h"
#include "mlx/mlx.h"
#include "weights/matrix.h"
#include "weights/tensor_files.h"

namespace llm_host {

namespace mx = mlx::core;

// Hands out the tensors of a model by name, read, checked against the wanted shape and cast to the
// compute type. Every error names the tensor. A value that is infinite or no number is an error.
class WeightStore {
 public:
  using Matrix = llm_host::Matrix;

  // `spec` must outlive the store. `progress(done, total)` may throw to stop the load.
  WeightStore(const LoadSpec& spec, std::function<void(uint64_t, uint64_t)> progress);

  bool has(const std::string& name) const { return main_.find(name) != nullptr; }
  // As stored: [] if there is no such tensor. Packed rows are shorter than those they stand for.
  std::vector<int64_t> shape(const std::string& name) const;
  bool gguf() const { return spec_.gguf; }
  // What activations and float weights are held in: float32 on the CPU, whose MLX kernels are exact
  // and quick only there; the checkpoint's own type on a GPU.
  mx::Dtype dtype() const { return dtype_; }
  // The float type of the embedding, or of its scales, in the files: float16 for ggml blocks.
  mx::Dtype stored_dtype() const { return stored_dtype_; }

  // `path`.weight, with .scales and .biases if it is quantised.
  Matrix matrix(const std::string& path, int out, int in);
  // The same for `path`.weight, or `path` alone, of shape [experts, out, in].
  Matrix experts(const std::string& path, int experts, int out, int in);
  // Dense experts stored as [experts, in, out] under `name`, turned round.
  Matrix transposed_experts(const std::string& name, int experts, int out, int in);
  // gpt-oss's mxfp4: `path`_blocks [experts, out, in / 32, 16] and `path`_scales, both bytes.
  Matrix mxfp4_experts(const std::string& path, int experts, int out, int in);
  // The same packed alike: one over the other along the rows; or as a new leading dimension.
  static Matrix concatenate(const std::vector<Matrix>& parts);
  static Matrix stack(const std::vector<Matrix>& parts);

  mx::array vector(const std::string& name, int size) { return tensor(name, {size}); }
  // A float tensor of any shape.
  mx::array tensor(const std::string& name, const std::vector<int64_t>& shape);
  // `path`.lora_a [in, rank] and .lora_b [rank, out] · scale, if the adapter has them.
  std::optional<std::pair<mx::array, mx::array>> adapter(const std::string& path, int out, int in);

  // GGUF files interleave the two halves of each rotary head's rows; these put them back.
  static mx::array unpermute(const mx::array& rows, int heads, int head_dim);
  static Matrix unpermute(const Matrix& matrix, int heads, int head_dim);

  // Logical weights handed out, and the bytes they take in memory.
  uint64_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_; }
  // The tensors of module `path` are known and not wanted.
  void leave_out(const std::string& path) { left_out_.insert(path); }
  // Throws if there are tensors that no layer took, of the model or of the adapter.
  void check_all_used() const;
  void check_adapter_used() const;

 private:
  mx::array read(const TensorFiles& files, const TensorEntry& entry, mx::Dtype dtype);
  // As stored, after the check for values that are no numbers.
  mx::array read_stored_float(const TensorFiles& files, const TensorEntry& entry);
  mx::array read_float(const TensorFiles& files, const TensorEntry& entry);
  // `path`.weight of shape `dims` + [in].
  Matrix read_matrix(const std::string& path, const TensorEntry& weight,
                     const std::vector<int64_t>& dims, int in);
  Matrix dense(mx::array weight) const;
  Matrix read_blocks(const TensorEntry& entry);
  Matrix read_packed(const std::string& path, const TensorEntry& entry,
                     const std::vector<int64_t>& dims, int in);
  mx::array read_byte_scales(const TensorEntry& entry, const std::string& mode);
  const TensorEntry& entry(const std::string& name);
  mx::array keep(mx::array array);
  void pick_dtype();
  std::function<void(uint64_t)> on_chunk();

  const LoadSpec& spec_;
  std::function<void(uint64_t, uint64_t)> progress_;
  TensorFiles main_;
  std::optional<TensorFiles> adapter_;
  std::set<std::string> used_, left_out_;
  size_t adapter_tensors_used_ = 0;
  mx::Dtype dtype_ = mx::float32;
  mx::Dtype stored_dtype_ = mx::float16;  // that of ggml's own scales
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
  uint64_t parameters_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace llm_host
