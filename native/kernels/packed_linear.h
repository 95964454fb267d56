#pragma once

#include <optional>
#include <span>

#include "kernels/packed_matrix.h"
#include "kernels/weight_arena.h"
#include "mlx/mlx.h"

// Products with packed matrices on the CPU, with what stands before and after them in a decoder
// done in the same pass: see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

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
  enum class Form { kPlain, kNormalised, kSwiGlu, kGeGlu };

  explicit Operand(mx::array x, Form form = Form::kPlain) : x(std::move(x)), form(form) {}

  mx::array x;  // [..., cols]; gated forms: gate | up, [..., 2 · cols]
  Form form;
  // kNormalised: RMSNorm with this weight [cols] and eps.
  std::optional<mx::array> norm_weight;
  float eps = 0;
};

struct PackedPart {
  const Packed& matrix;
  const std::optional<mx::array>& bias;  // [rows]
  const std::optional<mx::array>& down;  // [rank, cols]: an adapter's, or nothing
  const std::optional<mx::array>& up;    // [rank, rows]
};

// operand · Wᵀ for each part, side by side: [..., Σ rows], plus `residual` of the same shape.
mx::array packed_linear(const Operand& operand, std::span<const PackedPart> parts,
                        const std::optional<mx::array>& residual);

// Rows by id: ids [...] int32 -> [..., cols] float32.
mx::array packed_rows(const Packed& matrix, const mx::array& ids);

}  // namespace llm_host::cpu
