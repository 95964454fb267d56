#pragma once

#include <cstdint>
#include <vector>

#include "kernels/packed/linear.h"
#include "kernels/packed/sets/tiles.h"

namespace llm_host::cpu {

// One of an adapter's two matrices, in float32 or in float16.
struct LowRank {
  const float* floats = nullptr;
  const uint16_t* float16 = nullptr;  // unless nullptr instead
};

// A matrix, with the bias and the LoRA adapter that are added to its product.
struct PackedProductPart {
  PackedMatrix matrix;
  const float* bias;  // [rows]
  LowRank down;       // [rank, cols]
  LowRank up;         // [rank, rows]
  int rank;           // 0 without an adapter
  int64_t column;     // of the output, where the part's first row goes
};

// The operand that one or several matrices multiply.
struct PackedOperand {
  const float* x;            // [m, cols]
  const float* norm_weight;  // [cols], or nullptr without RMSNorm
  float eps;
  int m, cols;
  float fine_above;  // see PackedInt8
};

// The product of x with one or several matrices: converts x to the forms that their kernels read,
// then splits the matrices over all threads.
class PackedProduct {
 public:
  // `reproducible`: each row of y has the same bits for any m, which a matrix unit does not give.
  PackedProduct(const PackedOperand& x, bool reproducible)
      : x_(x.x),
        norm_weight_(x.norm_weight),
        eps_(x.eps),
        m_(x.m),
        cols_(x.cols),
        fine_above_(x.fine_above),
        reproducible_(reproducible) {}

  // y [m, Σ rows] = the parts' products, plus `residual` of the same shape unless that is nullptr.
  void run(const std::vector<PackedProductPart>& parts, const float* residual, float* y);
  // y [m, width] = activation(gate) · up; see packed_gated for the parts.
  void run_gated(const std::vector<PackedProductPart>& parts, Gate gate, int width, float* y);

 private:
  // Work of one thread: blocks [begin, end) of a part.
  struct Item {
    int part, begin, end;
  };
  // x as int8, for all matrices with like's phases, group size and zero.
  struct Int8Rows {
    PackedMatrix like;
    PackedInt8 rows;
  };

  void prepare(const std::vector<PackedProductPart>& parts);
  void add_int8(const PackedMatrix& matrix);
  const Int8Rows* int8_for(const PackedMatrix& matrix) const;
  // `normed` [m, cols]: where to keep the normalised x, or nullptr.
  void prepare_row(int row, float* normed);
  // x · downᵀ [m, rank] for each part with an adapter.
  void multiply_down(const std::vector<PackedProductPart>& parts);
  // Blocks of a work item, out of `blocks` in all.
  int blocks_at_once(int blocks) const;
  std::vector<Item> items_of(const std::vector<PackedProductPart>& parts) const;
  // Blocks [begin, end) of gate and of up -> their columns of y.
  void run_gated_blocks(const std::vector<PackedProductPart>& parts, Gate gate, int width,
                        int begin, int end, float* y) const;
  void multiply(const PackedProductPart& part, const Item& item, const PackedOutput& out) const;
  void multiply_matrix(const PackedProductPart& part, const Item& item,
                       const PackedOutput& out) const;
  void add_low_rank(const Item& item, const PackedProductPart& part, const PackedOutput& out) const;

  static constexpr size_t kMaxInt8 = 24;  // more than phases · group sizes · zeros of the kinds

  const float* x_;
  const float* norm_weight_;
  float eps_;
  int m_, cols_;
  float fine_above_;
  bool reproducible_;
  const float* values_ = nullptr;  // [m, cols], if a part needs float32
  uint16_t* rounded_ = nullptr;    // as PackedTiles::round writes it
  const PackedTiles* tiles_ = nullptr;
  std::vector<Int8Rows> int8_;
  std::vector<std::vector<float>> down_products_;
};

}  // namespace llm_host::cpu
