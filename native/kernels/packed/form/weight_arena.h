#pragma once

#include <memory>
#include <optional>

#include "mlx/mlx.h"

namespace llm_host {

// Memory for packed weights, cut from large slabs that the system is asked to map with huge pages.
// Single matrices are too small for those, and each token reads all weights once: with small pages,
// address translation costs a tenth to a quarter of the memory bandwidth.
class WeightArena {
 public:
  struct Piece {
    mlx::core::array slab;  // owns the memory
    int64_t offset;         // of the piece in the slab; its address is a multiple of 64
  };
  // Bytes that may be read beyond the end of a piece.
  static constexpr int64_t kSlack = 8192;

  Piece take(int64_t bytes);
  // Bytes of all pieces, without slack and alignment.
  int64_t taken() const { return taken_; }

 private:
  std::optional<mlx::core::array> slab_;
  int64_t used_ = 0;
  int64_t taken_ = 0;
};

}  // namespace llm_host
