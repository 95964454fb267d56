#pragma once

#include <cstdint>
#include <vector>

#include "kernels/packed/linear.h"
#include "kernels/packed/tiles.h"

namespace llm_host::cpu {

// A matrix of a product, and what is added to what it makes.
struct PackedProductPart {
  PackedMatrix matrix;
  const float* bias;  // [rows]
  const float* down;  // an adapter's: [rank, cols]
  const float* up;    // [rank, rows]
  int rank;           // 0 without an adapter
  int64_t column;     // of its first row in the output
};

// One call: x in the forms that the parts need, and what each part makes of it.
class PackedProduct {
 public:
  // x [m, cols]. `norm_weight`: nullptr for x as it is.
  PackedProduct(const float* x, const float* norm_weight, float eps, int m, int cols)
      : x_(x), norm_weight_(norm_weight), eps_(eps), m_(m), cols_(cols) {}

  // y [m, rows of all parts], plus `residual` of the same shape unless that is nullptr.
  void run(const std::vector<PackedProductPart>& parts, const float* residual, float* y);
  // y [m, width]: the gate · x, gated with the up · x; see packed_gated for the parts.
  void run_gated(const std::vector<PackedProductPart>& parts, Gate gate, int width, float* y);

 private:
  struct Item {
    int part, begin, end;  // blocks
  };
  // The whole numbers of x for matrices of one kind and group size.
  struct Whole {
    PackedMatrix like;
    int8_t* numbers;
    float *scales, *sums;
  };

  void prepare(const std::vector<PackedProductPart>& parts);
  void add_whole(const PackedMatrix& matrix);
  const Whole* whole_of(const PackedMatrix& matrix) const;
  void prepare_row(int row, float* filled);
  // Brings x down to the ranks of the adapters: [m, rank] for each part.
  void multiply_down(const std::vector<PackedProductPart>& parts);
  // Of `blocks` in all.
  int blocks_at_once(int blocks) const;
  std::vector<Item> items_of(const std::vector<PackedProductPart>& parts) const;
  // Blocks [begin, end) of gate and of up, gated, to y.
  void run_gated_blocks(const std::vector<PackedProductPart>& parts, Gate gate, int width,
                        int begin, int end, float* y) const;
  void multiply(const PackedProductPart& part, const Item& item, const PackedOutput& out) const;
  void multiply_matrix(const PackedProductPart& part, const Item& item,
                       const PackedOutput& out) const;
  void add_up(const Item& item, const PackedProductPart& part, const PackedOutput& out) const;

  static constexpr size_t kWholes = 6;  // kinds · group sizes

  const float* x_;
  const float* norm_weight_;
  float eps_;
  int m_, cols_;
  const float* values_ = nullptr;  // [m, cols], if any part wants floats
  uint16_t* rounded_ = nullptr;
  const PackedTiles* tiles_ = nullptr;
  std::vector<Whole> wholes_;
  std::vector<std::vector<float>> downs_;
};

}  // namespace llm_host::cpu
