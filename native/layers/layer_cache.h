#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// What one layer remembers of the first `length` tokens, as plain arrays: the form in which a cache
// is kept at a checkpoint and in a file.
struct LayerState {
  int length = 0;
  std::map<std::string, mx::array> arrays;
};

inline uint64_t bytes_of(const LayerState& state) {
  uint64_t bytes = 0;
  for (const auto& [name, array] : state.arrays) bytes += array.nbytes();
  return bytes;
}

// What one layer remembers of one sequence.
class LayerCache {
 public:
  virtual ~LayerCache() = default;

  // Tokens seen: the position of the next one.
  virtual int length() const = 0;
  // Whether `trim(length)` leaves what the layer knew after `length` tokens.
  virtual bool can_trim(int length) const = 0;
  // Forgets all but the first `length` tokens; only if `can_trim(length)`.
  virtual void trim(int length) = 0;
  // False if `can_trim` may become false for some shorter length: such a layer needs checkpoints.
  virtual bool always_trimmable() const = 0;

  // What the layer knew after `length` tokens; only if `can_trim(length)`. The arrays may be parts
  // of the cache's own buffers: they stay as they are until the cache is trimmed to fewer tokens
  // and goes on from there.
  virtual LayerState state_at(int length) const = 0;
  LayerState state() const { return state_at(length()); }
  // Takes over a state of the same kind of layer. Throws std::invalid_argument, and changes
  // nothing, if it does not fit.
  virtual void restore(const LayerState& state) = 0;

  // Of its buffers, in use or not.
  virtual uint64_t bytes() const = 0;
};

// The keys and values of one attention layer, of whatever kind. Keys are rotated already.
class AttentionCache : public LayerCache {
 public:
  // [1, kv_heads, T, head_dim] each, of consecutive positions, the last of which are those of the
  // newest tokens. T is at least min(length, window) and may be more where several tokens were
  // added: a window needs its mask then.
  struct View {
    mx::array keys;
    mx::array values;
  };
  // keys, values [1, kv_heads, L, head_dim] of the next L tokens.
  virtual View append(const mx::array& keys, const mx::array& values) = 0;

  // Row-contiguous buffers [1, kv_heads, capacity, head_dim] for kernels that write in place. The
  // next tokens belong at `slot` and following, and have the positions `position` and following.
  struct Buffers {
    mx::array keys;
    mx::array values;
    int slot;
    int position;
  };
  // Counts `count` more tokens as there, which the caller writes into the buffers; nothing where
  // this kind has no such buffers: then `append` is to be used.
  virtual std::optional<Buffers> extend(int count) = 0;
};

}  // namespace llm_host
