#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/packed/form/weight_arena.h"
#include "mlx/mlx.h"
#include "weights/adapters.h"
#include "weights/files/checkpoint_writer.h"
#include "weights/files/tensor_reader.h"
#include "weights/load_spec.h"
#include "weights/matrix.h"
#include "weights/mlx_tensor.h"
#include "weights/part.h"
#include "weights/quantize/quantization.h"
#include "weights/quantize_tensor.h"

namespace llm_host {
namespace mx = mlx::core;

// The tensors of a model by name: reads each, checks its shape and casts it to the type to compute
// in. If the spec says so, quantizes float matrices on the way and writes everything to a new
// checkpoint. Errors name the tensor; a value that is infinite or NaN is one.
class WeightStore {
 public:
  // `spec` must outlive the store. `progress(done, total)` may throw to stop the load.
  WeightStore(const LoadSpec& spec, std::function<void(uint64_t, uint64_t)> progress);

  // How weights are held: "stored" as in the files (GPU), "packed" for the CPU's packed kernels, or
  // "float32" for exact ones.
  static const char* layout(bool exact);

  bool has(const std::string& name) const { return main_.files().find(name) != nullptr; }
  // As stored; [] if there is no such tensor. The rows of a quantized one are shorter than the
  // weights they stand for.
  std::vector<int64_t> shape(const std::string& name) const;
  // " (looked in FILE)", for messages about a missing tensor.
  std::string where() const { return main_.files().where(); }
  bool gguf() const { return spec_.gguf; }
  // The type of activations and float weights: see DevicePolicy::dtype.
  mx::Dtype dtype() const { return dtype_; }
  // The float type of the embedding (or its scales) in the files; float16 for ggml blocks.
  mx::Dtype stored_dtype() const { return stored_dtype_; }

  // Whether the model turns texts into vectors. Then float32 matrices are rounded to bfloat16 where
  // they are packed, and products are as fine as can be: vectors differ by little.
  bool encodes() const { return spec_.encoder.has_value(); }

  // Whether matrices are packed for the CPU's kernels, as cpu::packs_weights says.
  bool packed() const { return arena_.has_value(); }
  // Memory for packed matrices; only if they are packed.
  WeightArena& arena() { return *arena_; }

  // `path`.weight [out, in], with .scales and .biases if it is quantized. `as_stored`: floats that
  // are not to be quantized keep their type.
  Matrix matrix(const std::string& path, int out, int in, bool as_stored = false);
  // The same, packed while it is read; std::nullopt if that cannot be. `head_dim`: see
  // pack_ggml_tensors.
  std::optional<cpu::Packed> packed_matrix(const std::string& path, int out, int in,
                                           int head_dim = 0);
  // The matrices that `experts` would read for each path, packed as one: each expert's rows below
  // the other path's.
  std::optional<cpu::Packed> packed_experts(const std::vector<std::string>& paths, int experts,
                                            int out, int in);
  // As `matrix`, but never quantized here: small differences decide a router's choices.
  Matrix router(const std::string& path, int out, int in);
  // As `matrix` for `path`.weight, or `path` alone, of shape [experts, out, in].
  Matrix experts(const std::string& path, int experts, int out, int in, bool as_stored);
  // As `experts`, for tensors stored as [experts, in, out] under `name`: transposes each.
  Matrix transposed_experts(const std::string& name, int experts, int out, int in, bool as_stored);
  // gpt-oss's mxfp4: `path`_blocks [experts, out, in / 32, 16] and `path`_scales, both bytes.
  Matrix mxfp4_experts(const std::string& path, int experts, int out, int in);

  mx::array vector(const std::string& name, int size) { return tensor(name, {size}); }
  // A float tensor of any shape.
  mx::array tensor(const std::string& name, const std::vector<int64_t>& shape);
  // The matrices that the adapters add to module `path`, [out, in].
  std::optional<Adapters::LowRank> adapter(const std::string& path, int out, int in) {
    return adapters_.find(path, out, in, dtype_);
  }

  // If what module `path` makes is to be added up over all processes; nullptr where it is whole.
  const PartialModules* partial(const std::string& path) const {
    return spec_.partial && spec_.partial->contains(path) ? spec_.partial.get() : nullptr;
  }

  // Whether requests may go without the adapters: then they are never added to the weights.
  bool adapters_optional() const { return spec_.adapters_optional; }

  // Logical weights handed out, and the bytes they take in memory.
  uint64_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_ + (arena_ ? static_cast<uint64_t>(arena_->taken()) : 0); }
  // `matrix` has been packed and will not be kept: no longer counts its bytes.
  void drop(const Matrix& matrix);
  // Counts the bytes of what is kept instead.
  mx::array keep(mx::array array);
  // Tensors with this prefix may stay unused.
  void ignore(std::string prefix) { ignored_.push_back(std::move(prefix)); }
  // Call it when the model has read all its tensors: throws MODEL_BROKEN if any are left in the
  // weights or an adapter, and completes the new checkpoint.
  void finish();

 private:
  // `keep`, in the activations' type.
  mx::array keep_as_used(const mx::array& array);
  mx::array read_float(const TensorEntry& entry);
  // Reads a tensor in its own type.
  mx::array read_stored(const TensorEntry& entry);
  // A matrix of ggml blocks or a stack of them, whose shape is checked.
  Matrix read_blocks(const TensorEntry& entry);
  Matrix dense(mx::array weight) const;
  // `path`.weight of shape `dims` + [in], quantized if that is wanted and possible.
  Matrix read_matrix(const std::string& path, const TensorEntry& weight,
                     const std::vector<int64_t>& dims, int in, bool may_quantize,
                     bool as_stored = false);
  // Whether a matrix that is not in ggml blocks can be packed while it is read.
  bool packs_while_reading() const { return packed() && !quantize_ && !writer_; }
  // `weight` of shape `dims` + [in], dense or quantized, whose shapes are checked.
  MlxTensor mlx_tensor(const std::string& path, const TensorEntry& weight,
                       const std::vector<int64_t>& dims, int in);
  // The name of the tensor that holds a matrix of every expert.
  std::string experts_name(const std::string& path) const {
    return has(path + ".weight") ? path + ".weight" : path;
  }
  // One that MLX has quantized: `path`.weight, .scales and .biases.
  Matrix read_quantized(const std::string& path, const TensorEntry& weight,
                        const std::vector<int64_t>& dims, int in);
  // Whether the spec asks to quantize a matrix with rows of `in` floats, and that is possible.
  bool quantizable(const TensorEntry& weight, int in) const;
  Matrix quantize(const std::string& path, const TensorEntry& entry,
                  const std::vector<int64_t>& dims, int in, Orientation orientation);
  // To the new checkpoint, if there is to be one.
  void save(const std::string& name, const mx::array& array);
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
  mx::Dtype stored_dtype_ = mx::float16;  // as ggml's own scales
  uint64_t parameters_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace llm_host
