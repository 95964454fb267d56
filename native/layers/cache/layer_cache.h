#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The state of one layer after the first `length` tokens, as plain arrays: how a checkpoint and a
// file hold it.
struct LayerState {
  int length = 0;
  std::map<std::string, mx::array> arrays;
};

inline uint64_t bytes_of(const LayerState& state) {
  uint64_t bytes = 0;
  for (const auto& [name, array] : state.arrays) bytes += array.nbytes();
  return bytes;
}

// The cache of one layer for one sequence.
class LayerCache {
 public:
  virtual ~LayerCache() = default;

  // Tokens seen: the position of the next one.
  virtual int length() const = 0;
  // Whether the layer can go back to its state after `length` tokens.
  virtual bool can_trim(int length) const = 0;
  // Forgets all tokens but the first `length`; only if `can_trim(length)`.
  virtual void trim(int length) = 0;
  // False if `can_trim` may be false for some shorter length: such a layer needs checkpoints.
  virtual bool always_trimmable() const = 0;

  // The state after `length` tokens; only if `can_trim(length)`. Its arrays may be slices of the
  // cache's buffers: valid until the cache is trimmed below `length` and written again.
  virtual LayerState state_at(int length) const = 0;
  LayerState state() const { return state_at(length()); }
  // Replaces the state by one of the same kind of layer. Throws std::invalid_argument, and changes
  // nothing, if it does not fit.
  virtual void restore(const LayerState& state) = 0;

  // Size of its buffers, used or not.
  virtual uint64_t bytes() const = 0;
  // At most the bytes once `count` more tokens are in it.
  virtual uint64_t bytes_after(int count) const = 0;
};

// The keys and values of one attention layer. Keys are stored rotated.
class AttentionCache : public LayerCache {
 public:
  // [1, kv_heads, T, head_dim] each, for T consecutive positions up to the newest token. T is at
  // least min(length, window); it is more where several tokens were added, and then a window needs
  // a mask.
  struct View {
    mx::array keys;
    mx::array values;
  };
  // Adds keys, values [1, kv_heads, L, head_dim] of the next L tokens.
  virtual View append(const mx::array& keys, const mx::array& values) = 0;

  // Whether keys and values are in one buffer: then `append_joined` takes them as one array, the
  // values' heads behind the keys', [1, 2 · kv_heads, L, head_dim].
  virtual bool joined() const { return false; }
  virtual std::optional<View> append_joined(const mx::array& both) { return std::nullopt; }

  // The result of append() where keys and values are quantized: three parts each, as mx::quantize
  // makes them, [1, kv_heads, T, columns].
  struct Quantized {
    std::array<mx::array, 3> keys, values;
    int group_size, bits;
  };
  // Nothing, and nothing is added, where this kind of cache does not quantize.
  virtual std::optional<Quantized> append_quantized(const mx::array& keys,
                                                    const mx::array& values) {
    return std::nullopt;
  }

  // Row-contiguous buffers [1, kv_heads, capacity, head_dim] for kernels that write in place. The
  // next tokens belong into slots from `slot` on, and have positions from `position` on.
  struct Buffers {
    mx::array keys;
    mx::array values;
    int slot;
    int position;
  };
  // Counts `count` more tokens, whose keys and values the caller writes into the buffers; nothing
  // if this kind of cache has none: use `append` then.
  virtual std::optional<Buffers> extend(int count) = 0;

  // For layers that attend to another layer's cache: what the newest `count` tokens see, which have
  // been added already.
  virtual View newest(int count) const = 0;
  // As newest() in the other forms; nothing where this kind of cache has no such form.
  virtual std::optional<Quantized> newest_quantized() const { return std::nullopt; }
  virtual std::optional<Buffers> newest_buffers(int count) const = 0;
};

}  // namespace llm_host
