#pragma once

#include <optional>
#include <span>

#include "kernels/packed/matrix.h"
#include "kernels/packed/weight_arena.h"
#include "mlx/mlx.h"

// Products with packed matrices on the CPU, with what stands before and after them in a decoder
// done in the same pass: see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

// Whether weights are packed while loading: on a CPU with instructions that the packed kernels use,
// unless results must be exact.
bool packs_weights(bool exact);

// A matrix that has been packed.
class Packed {
 public:
  // weight [rows, cols] bfloat16 or float16, or affine with 4 or 8 bits and float32 scales and
  // biases. Nothing where there is no kernel for it.
  static std::optional<Packed> pack(WeightArena& arena, const mx::array& weight,
                                    const std::optional<mx::array>& scales,
                                    const std::optional<mx::array>& biases, int group_size,
                                    int bits);

  const PackedMatrix& layout() const { return layout_; }
  // The bytes that it is among: an input of whatever operation reads it.
  const mx::array& buffer() const { return piece_.slab; }

 private:
  Packed(PackedMatrix layout, WeightArena::Piece piece)
      : layout_(layout), piece_(std::move(piece)) {}

  PackedMatrix layout_;
  WeightArena::Piece piece_;
};

// What is multiplied.
struct Operand {
  explicit Operand(mx::array x) : x(std::move(x)) {}

  mx::array x;  // [..., cols]
  // If there: RMSNorm with this weight [cols] and eps comes first.
  std::optional<mx::array> norm_weight;
  float eps = 0;
};

// activation(gate) · up.
enum class Gate { kSwiGlu, kGeGlu };

struct PackedPart {
  const Packed& matrix;
  const std::optional<mx::array>& bias;  // [rows]
  const std::optional<mx::array>& down;  // [rank, cols]: an adapter's, or nothing
  const std::optional<mx::array>& up;    // [rank, rows]
};

// operand · Wᵀ for each part, side by side: [..., Σ rows], plus `residual` of the same shape.
mx::array packed_linear(const Operand& operand, std::span<const PackedPart> parts,
                        const std::optional<mx::array>& residual);

// Of parts gate and up, of as many rows, or of one that is gate | up, with a multiple of
// PackedMatrix::kBlockRows rows each: operand · Wᵀ of both, gated -> [..., rows of each].
mx::array packed_gated(const Operand& operand, std::span<const PackedPart> parts, Gate gate);

// Rows by id: ids [...] int32 -> [..., cols] float32.
mx::array packed_rows(const Packed& matrix, const mx::array& ids);

}  // namespace llm_host::cpu
