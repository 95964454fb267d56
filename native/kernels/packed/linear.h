#pragma once

#include <optional>
#include <span>

#include "kernels/packed/form/matrix.h"
#include "kernels/packed/form/weight_arena.h"
#include "kernels/packed/sets/kernels.h"
#include "mlx/mlx.h"

// Products with packed matrices on the CPU, fused with the norm before them and with the bias,
// adapter, residual and gate after them; see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

// Whether weights are packed while loading: on a CPU with instructions that the packed kernels use,
// unless results must be exact.
bool packs_weights(bool exact);

// The packed layout of what MLX stores as dense weights (`bits`: 0) of a type, as 4-bit floats
// (`byte_scales`) or as affine codes, whose type of scales the caller sets; std::nullopt if there
// is no kernel.
std::optional<PackedMatrix> mlx_layout(int rows, int cols, mx::Dtype dense, int group_size,
                                       int bits, bool byte_scales);

// A packed matrix and the memory that holds it.
class Packed {
 public:
  // weight [rows, cols] in bfloat16 or float16, affine of 2 to 6 or 8 bits with float32 scales and
  // biases, or mxfp4 or nvfp4; std::nullopt for other types, which have no kernel.
  static std::optional<Packed> pack(WeightArena& arena, const mx::array& weight,
                                    const std::optional<mx::array>& scales,
                                    const std::optional<mx::array>& biases, int group_size,
                                    int bits);

  // A matrix without its weights, which the caller writes to `memory` with pack_unit or pack_block.
  static Packed reserve(WeightArena& arena, PackedMatrix layout);

  const PackedMatrix& layout() const { return layout_; }
  uint8_t* memory() { return piece_.slab.data<uint8_t>() + piece_.offset; }
  // The array that owns the memory: every operation that reads the matrix takes it as an input.
  const mx::array& buffer() const { return piece_.slab; }

 private:
  Packed(PackedMatrix layout, WeightArena::Piece piece)
      : layout_(layout), piece_(std::move(piece)) {}

  PackedMatrix layout_;
  WeightArena::Piece piece_;
};

// The activations to multiply.
struct Operand {
  explicit Operand(mx::array x) : x(std::move(x)) {}

  mx::array x;  // [..., cols]
  // If given, x is normalised first: RMSNorm with this weight [cols] and eps.
  std::optional<mx::array> norm_weight;
  float eps = 0;
  // Which groups of its int8 form have fine bytes, see PackedInt8. Those without take half as long.
  float fine_above = usual_fine_above();
};

// Which activation(gate) · up: silu or gelu.
enum class Gate { kSwiGlu, kGeGlu };

// One of several matrices that are multiplied with the same operand.
struct PackedPart {
  const Packed& matrix;
  const std::optional<mx::array>& bias;  // [rows]
  // The matrices of a LoRA adapter, float32 or float16.
  const std::optional<mx::array>& down;  // [rank, cols]
  const std::optional<mx::array>& up;    // [rank, rows]
};

// operand · Wᵀ (+ bias) (+ operand · downᵀ · up) for each part, concatenated to [..., Σ rows], plus
// `residual` of the same shape.
mx::array packed_linear(const Operand& operand, std::span<const PackedPart> parts,
                        const std::optional<mx::array>& residual);

// activation(gate) · up, where gate and up are the operand's products with two parts of the same
// number of rows, or with the two halves of one part, whose rows must then be a multiple of
// 2 · PackedMatrix::kBlockRows -> [..., rows of each].
mx::array packed_gated(const Operand& operand, std::span<const PackedPart> parts, Gate gate);

// Embedding lookup, rows by id: ids [...] int32 -> [..., cols] float32.
mx::array packed_rows(const Packed& matrix, const mx::array& ids);

}  // namespace llm_host::cpu
