#pragma once

#include <optional>

#include "layers/cache/counted_cache.h"

namespace llm_host {

// The cache of a layer with multi-head latent attention: for each token the rotated key that all
// heads share, and behind it the latent that keys and values of every head are made from.
class LatentCache final : public Counted<LayerCache> {
 public:
  LatentCache(int rotary_dim, int rank, int max_positions, mx::Dtype dtype);

  // Adds the rows [1, 1, L, rotary_dim + rank] of the next L tokens -> those of all.
  mx::array append(const mx::array& rows);

  // A row-contiguous buffer [1, 1, capacity, rotary_dim + rank] for kernels that write in place;
  // the next token belongs into `slot`, which is its position too.
  struct Buffer {
    mx::array rows;
    int slot;
  };
  // Counts `count` more tokens, whose rows the caller writes into the buffer.
  Buffer extend(int count);

  LayerState state_at(int length) const override;
  void restore(const LayerState& state) override;
  uint64_t bytes() const override { return buffer_ ? buffer_->nbytes() : 0; }
  uint64_t bytes_after(int count) const override;

 private:
  mx::Shape shape(int slots) const { return {1, 1, slots, columns_}; }
  int capacity() const { return buffer_ ? buffer_->shape(2) : 0; }
  int capacity_after(int count) const;
  // Makes room for `count` more tokens.
  void reserve(int count);
  // The rows of the first `length` tokens.
  mx::array rows(int length) const { return mx::slice(*buffer_, {0, 0, 0, 0}, shape(length)); }

  int columns_;
  mx::Dtype dtype_;
  std::optional<mx::array> buffer_;
};

}  // namespace llm_host
