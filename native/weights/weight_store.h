#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/packed/weight_arena.h"
#include "mlx/mlx.h"
#include "weights/adapters.h"
#include "weights/checkpoint_writer.h"
#include "weights/load_spec.h"
#include "weights/matrix.h"
#include "weights/quantization.h"
#include "weights/tensor_reader.h"

namespace llm_host {

namespace mx = mlx::core;

// Hands out the tensors of a model by name, read, checked against the wanted shape and cast to the
// compute type; where the spec asks for it, float matrices are quantized on the way, part by part,
// and all is written to a new checkpoint. Every error names the tensor. A value that is infinite or
// no number is an error.
class WeightStore {
 public:
  using Matrix = llm_host::Matrix;

  // `spec` must outlive the store. `progress(done, total)` may throw to stop the load.
  WeightStore(const LoadSpec& spec, std::function<void(uint64_t, uint64_t)> progress);

  // How weights are held: "stored" as they are in the files (GPU), "packed" for the CPU's packed
  // kernels, "float32" for its exact ones.
  static const char* layout(bool exact);

  bool has(const std::string& name) const { return main_.files().find(name) != nullptr; }
  // As stored: [] if there is no such tensor. Packed rows are shorter than those they stand for.
  std::vector<int64_t> shape(const std::string& name) const;
  // Where the weights are, for messages about one that is not there.
  std::string where() const { return main_.files().where(); }
  bool gguf() const { return spec_.gguf; }
  // What activations and float weights are held in: float32 on the CPU, whose MLX kernels are exact
  // and quick only there; the checkpoint's own type on a GPU.
  mx::Dtype dtype() const { return dtype_; }
  // The float type of the embedding, or of its scales, in the files: float16 for ggml blocks.
  mx::Dtype stored_dtype() const { return stored_dtype_; }

  // Whether matrices are packed for the CPU's kernels, as cpu::packs_weights says.
  bool packed() const { return arena_.has_value(); }
  // Memory for packed matrices; only if they are packed.
  WeightArena& arena() { return *arena_; }

  // `path`.weight, with .scales and .biases if it is quantized. Where it is neither quantized nor
  // to be, `as_stored` keeps bfloat16 and float16 as they are.
  Matrix matrix(const std::string& path, int out, int in, bool as_stored = false);
  // The same, never quantized here: a router's choices turn on small differences.
  Matrix router(const std::string& path, int out, int in);
  // The same as `matrix` for `path`.weight, or `path` alone, of shape [experts, out, in].
  Matrix experts(const std::string& path, int experts, int out, int in);
  // The same for experts stored as [experts, in, out] under `name`, turned round.
  Matrix transposed_experts(const std::string& name, int experts, int out, int in);
  // gpt-oss's mxfp4: `path`_blocks [experts, out, in / 32, 16] and `path`_scales, both bytes.
  Matrix mxfp4_experts(const std::string& path, int experts, int out, int in);
  // Joins matrices, one over the other along the rows, or as a new leading dimension. Throws
  // MODEL_UNSUPPORTED, and names `what` they are, if they are not packed alike.
  Matrix concatenate(const std::string& what, const std::vector<Matrix>& parts) const;
  Matrix stack(const std::string& what, const std::vector<Matrix>& parts) const;

  mx::array vector(const std::string& name, int size) { return tensor(name, {size}); }
  // A float tensor of any shape.
  mx::array tensor(const std::string& name, const std::vector<int64_t>& shape);
  // What the adapters add to module `path`.
  std::optional<Adapters::LowRank> adapter(const std::string& path, int out, int in) {
    return adapters_.find(path, out, in, dtype_);
  }

  // Logical weights handed out, and the bytes they take in memory.
  uint64_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_ + (arena_ ? static_cast<uint64_t>(arena_->taken()) : 0); }
  // `matrix` has been packed, and is not kept.
  void drop(const Matrix& matrix);
  // Tensors whose names start so may be there without a use, such as another modality's.
  void ignore(std::string prefix) { ignored_.push_back(std::move(prefix)); }
  // To be called when the model has all it wants: throws MODEL_BROKEN if the weights or an adapter
  // hold tensors that nobody took, and completes the new checkpoint.
  void finish();

 private:
  void check_alike(const std::string& what, const std::vector<Matrix>& parts) const;
  mx::array keep(mx::array array);
  mx::array read_float(const TensorEntry& entry);
  Matrix dense(mx::array weight) const;
  // `path`.weight of shape `dims` + [in], quantized if that is wanted and possible.
  Matrix read_matrix(const std::string& path, const TensorEntry& weight,
                     const std::vector<int64_t>& dims, int in, bool may_quantize,
                     bool as_stored = false);
  Matrix read_blocks(const TensorEntry& entry);
  Matrix read_packed(const std::string& path, const TensorEntry& entry,
                     const std::vector<int64_t>& dims, int in);
  // Whether a matrix with rows of `in` floats is to be quantized, and can be.
  bool quantizable(const TensorEntry& weight, int in) const;
  // kTurned: each of the matrices is stored as [in, rows].
  enum class Rows { kAsStored, kTurned };
  // Reads some rows at a time, or one matrix, so that the floats are never in memory as a whole.
  Matrix read_quantized(const std::string& path, const TensorEntry& entry,
                        const std::vector<int64_t>& dims, int in, Rows order);
  void save(const std::string& name, const char* dtype, const mx::array& array);
  bool ignored(const std::string& name) const;
  void pick_dtype();

  const LoadSpec& spec_;
  LoadProgress progress_;
  TensorReader main_;
  Adapters adapters_;
  std::optional<Quantization> quantize_;
  std::unique_ptr<CheckpointWriter> writer_;
  std::vector<std::string> ignored_;
  std::optional<WeightArena> arena_;
  mx::Dtype dtype_ = mx::float32;
  mx::Dtype stored_dtype_ = mx::float16;  // that of ggml's own scales
  uint64_t parameters_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace llm_host
