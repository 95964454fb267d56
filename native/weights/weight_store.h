#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/spec.h"
#include "mlx/mlx.h"
#include "weights/file.h"

namespace llm_host {

namespace mx = mlx::core;

// Hands out the tensors of a model by name, read, checked against the wanted shape and cast to the
// compute type. Every error names the tensor. Tensors that nobody asks for are never read.
class WeightStore {
 public:
  // A dense matrix, or an affine-quantised one: w = scales·q + biases by groups along a row.
  struct Matrix {
    mx::array weight;                         // [out, in], or [out, in · bits / 32] uint32
    std::optional<mx::array> scales, biases;  // [out, in / group_size]
    int group_size = 0;
    int bits = 0;
  };

  // `spec` must outlive the store. `progress(done, total)` may throw to stop the load.
  WeightStore(const LoadSpec& spec, std::function<void(uint64_t, uint64_t)> progress);

  bool has(const std::string& name) const { return main_.entries.contains(name); }
  bool gguf() const { return spec_.gguf; }
  // What activations and float weights are held in: float32 on the CPU, whose MLX kernels are exact
  // and quick only there; the checkpoint's own type on a GPU.
  mx::Dtype dtype() const { return dtype_; }

  // `path`.weight, with .scales and .biases if it is quantised.
  Matrix matrix(const std::string& path, int out, int in);
  mx::array vector(const std::string& name, int size);
  // `path`.lora_a [in, rank] and .lora_b [rank, out] · scale, if the adapter has them.
  std::optional<std::pair<mx::array, mx::array>> adapter(const std::string& path, int out, int in);

  // GGUF files interleave the two halves of each rotary head's rows; these put them back.
  static mx::array unpermute(const mx::array& rows, int heads, int head_dim);
  static Matrix unpermute(const Matrix& matrix, int heads, int head_dim);

  // Logical weights handed out, and the bytes they take in memory.
  uint64_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_; }
  // Throws if the adapter has tensors that no layer took.
  void check_adapter_used() const;

 private:
  struct Table {
    explicit Table(const WeightFiles& weights);
    std::vector<File> files;
    std::map<std::string, const TensorEntry*> entries;
  };

  mx::array read(const Table& table, const TensorEntry& entry, mx::Dtype dtype);
  mx::array read_float(const Table& table, const TensorEntry& entry);
  Matrix read_blocks(const TensorEntry& entry);
  Matrix read_affine(const std::string& path, const TensorEntry& entry, int out, int in);
  void read_bytes(const Table& table, const TensorEntry& entry, void* data, uint64_t expected);
  const TensorEntry& entry(const std::string& name) const;
  mx::array keep(mx::array array);
  void pick_dtype();

  const LoadSpec& spec_;
  std::function<void(uint64_t, uint64_t)> progress_;
  Table main_;
  std::optional<Table> adapter_;
  size_t adapter_tensors_used_ = 0;
  mx::Dtype dtype_ = mx::float32;
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
  uint64_t parameters_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace llm_host
