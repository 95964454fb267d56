#pragma once

#include <memory>
#include <optional>

#include "mlx/mlx.h"

namespace llm_host {

// Memory for packed weights: pieces of large slabs, which the system is asked to map by huge pages.
// A matrix of its own would be too small for one, and a step reads all of them once: on small
// pages address translation costs a tenth to a quarter of the bandwidth.
class WeightArena {
 public:
  struct Piece {
    mlx::core::array slab;  // keeps the memory alive
    int64_t offset;         // of the first of `bytes` bytes, at a 64-byte boundary
  };
  // Bytes that stay readable behind every piece.
  static constexpr int64_t kSlack = 8192;

  Piece take(int64_t bytes);
  // Bytes of all pieces.
  int64_t taken() const { return taken_; }

 private:
  std::optional<mlx::core::array> slab_;
  int64_t used_ = 0;
  int64_t taken_ = 0;
};

}  // namespace llm_host
