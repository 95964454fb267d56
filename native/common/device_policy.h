#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The differences between a GPU and a CPU: every such decision is made here and asked for
// elsewhere.
class DevicePolicy {
 public:
  // The policy of MLX's default device. With LLM_HOST_DEVICE_POLICY=gpu it is a GPU's on any
  // device: the CPU then runs what a GPU would, slowly, by MLX's own operations. Read once.
  static const DevicePolicy& get();
  // Throws USAGE if LLM_HOST_DEVICE_POLICY has another value.
  static void check();

  // Whether these are a GPU's decisions.
  bool gpu() const { return gpu_; }
  // Whether layers use the operations of native/kernels, and not MLX's.
  bool own_kernels() const { return !gpu_; }
  // The type of activations and float weights for a checkpoint that stores `stored`. On a CPU
  // float32, where MLX's operations are exact and fast in no other; `exact` wants it on a GPU too.
  mx::Dtype dtype(mx::Dtype stored, bool exact) const {
    return gpu_ && !exact ? stored : mx::float32;
  }
  // Whether tokens are chosen by operations of the graph, and not by a function on the host.
  bool samples_in_graph() const { return gpu_; }
  // Whether matrices with the same input become one while loading, and adapters are added to dense
  // ones: fewer kernels to launch.
  bool joins_matrices() const { return gpu_; }
  // Whether a layer's keys and values are in one buffer, which one kernel writes for a token. Own
  // kernels write into two.
  bool joins_keys_and_values() const { return gpu_; }
  // Whether attention reads quantized keys and values as they are, and not dequantized.
  bool attends_quantized() const { return gpu_; }
  // Whether mx::compile makes one kernel of elementwise operations. On a CPU device it would start
  // a compiler: only if LLM_HOST_COMPILE is 1 too, for tests.
  bool compiles() const { return compiles_; }
  // Prompt tokens a step, for a model of `parameters` weights. Each step reads all the weights, so
  // larger is faster; but a cancel waits for the step to end, about half a second on a CPU.
  int prefill_chunk(uint64_t parameters) const;
  // How much memory the results that are scheduled ahead of a chunk of a prompt may take; nothing:
  // no limit. The CPU backend allocates results when it schedules operations, up to a hundred of
  // them: the activations of the whole model instead of a few layers.
  std::optional<size_t> ahead_bytes() const;

 private:
  DevicePolicy();
  bool gpu_, compiles_;
};

}  // namespace llm_host
