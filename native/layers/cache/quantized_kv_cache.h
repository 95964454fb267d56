#pragma once

#include <array>

#include "layers/cache/counted_cache.h"

namespace llm_host {

// Keeps all keys and values, affine-quantized in groups along the head: about bits / 16 of the
// memory of float16. Attention reads them dequantized on a CPU, as they are on a GPU.
class QuantizedKvCache final : public CountedCache {
 public:
  // 64 where the head size is a multiple of it, else 32; 0: such heads cannot be quantized.
  static int group_size(int head_dim);

  // `bits`: 4 or 8. `dtype`: of the keys and values that are added and read.
  QuantizedKvCache(int kv_heads, int head_dim, int bits, int max_positions, mx::Dtype dtype);

  View append(const mx::array& keys, const mx::array& values) override;
  std::optional<Quantized> append_quantized(const mx::array& keys,
                                            const mx::array& values) override;
  std::optional<Buffers> extend(int) override { return std::nullopt; }
  View newest(int count) const override;
  std::optional<Quantized> newest_quantized() const override;
  std::optional<Buffers> newest_buffers(int) const override { return std::nullopt; }

  LayerState state_at(int length) const override;
  void restore(const LayerState& state) override;
  uint64_t bytes() const override;
  uint64_t bytes_after(int count) const override;

 private:
  // Quantized values, scales and biases: [1, kv_heads, capacity, columns].
  struct Store {
    const char* name;
    std::optional<std::array<mx::array, 3>> parts;
  };

  mx::Shape shape(size_t part, int slots) const;
  mx::Dtype dtype(size_t part) const { return part == 0 ? mx::uint32 : dtype_; }
  // Slots in the buffers once `count` more tokens are in them.
  int capacity_after(const Store& store, int count) const;
  void reserve(Store& store, int count);
  // Adds rows behind the first `length_` tokens.
  void update(Store& store, const mx::array& rows);
  // The three parts of the first `length_` tokens.
  std::array<mx::array, 3> all(const Store& store) const;

  int kv_heads_, head_dim_, bits_, group_;
  mx::Dtype dtype_;
  Store keys_{"keys", std::nullopt}, values_{"values", std::nullopt};
};

}  // namespace llm_host
