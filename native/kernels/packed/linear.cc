#include "kernels/packed/linear.h"

#include <vector>

#include "kernels/base/cpu_op.h"
#include "kernels/base/reproducible.h"
#include "kernels/base/thread_pool.h"
#include "kernels/packed/product.h"
#include "kernels/packed/sets/kernels.h"

namespace llm_host::cpu {
namespace {

// A part without its arrays, which are inputs of the operation.
struct PartPlan {
  Packed matrix;
  bool biased, adapted;
};

struct Plan {
  bool normalised;
  float eps;
  int cols;
  bool residual;
  float fine_above;
  bool reproducible;
  std::optional<Gate> gate;
  std::vector<PartPlan> parts;
};

LowRank low_rank(const mx::array& matrix) {
  if (matrix.dtype() == mx::float32) return {matrix.data<float>(), nullptr};
  return {nullptr, reinterpret_cast<const uint16_t*>(matrix.data<mx::float16_t>())};
}

void run(const Plan& plan, const std::vector<mx::array>& in, mx::array& out) {
  size_t next = 0;
  const mx::array& x = in[next++];
  const float* norm_weight = plan.normalised ? in[next++].data<float>() : nullptr;
  const float* residual = plan.residual ? in[next++].data<float>() : nullptr;
  std::vector<PackedProductPart> parts;
  int64_t column = 0;
  for (const PartPlan& part : plan.parts) {
    ++next;  // The array that owns the weights.
    PackedProductPart ready{part.matrix.layout(), nullptr, {}, {}, 0, column};
    if (part.biased) ready.bias = in[next++].data<float>();
    if (part.adapted) {
      ready.rank = in[next].shape(0);
      ready.down = low_rank(in[next++]);
      ready.up = low_rank(in[next++]);
    }
    column += ready.matrix.rows;
    parts.push_back(ready);
  }
  int m = static_cast<int>(x.size() / static_cast<size_t>(plan.cols));
  PackedProduct product({x.data<float>(), norm_weight, plan.eps, m, plan.cols, plan.fine_above},
                        plan.reproducible);
  if (plan.gate) {
    product.run_gated(parts, *plan.gate, out.shape(-1), out.data<float>());
  } else {
    product.run(parts, residual, out.data<float>());
  }
}

}  // namespace

bool packs_weights(bool exact) { return !exact && usable() && !packed_kernels_portable(); }

namespace {

using Kind = PackedMatrix::Kind;

std::optional<Kind> affine_kind(int bits) {
  switch (bits) {
    case 2:
      return Kind::kAffine2;
    case 3:
      return Kind::kAffine3;
    case 4:
      return Kind::kAffine4;
    case 5:
      return Kind::kAffine5;
    case 6:
      return Kind::kAffine6;
    case 8:
      return Kind::kAffine8;
    default:
      return std::nullopt;
  }
}

std::optional<PackedMatrix> layout_of(const mx::array& weight,
                                      const std::optional<mx::array>& scales,
                                      const std::optional<mx::array>& biases, int group_size,
                                      int bits) {
  int cols = scales ? weight.shape(1) * 32 / bits : weight.shape(1);
  std::optional<PackedMatrix> layout =
      mlx_layout(weight.shape(0), cols, weight.dtype(), group_size, scales ? bits : 0,
                 scales && scales->dtype() == mx::uint8);
  if (!layout || !layout->quantized() || layout->kind == Kind::kFloat4) return layout;
  if (!biases || scales->dtype() != mx::float32) return std::nullopt;
  layout->scales = smallest_scales(scales->data<float>(), biases->data<float>(),
                                   static_cast<int64_t>(scales->size()));
  return layout;
}

}  // namespace

std::optional<PackedMatrix> mlx_layout(int rows, int cols, mx::Dtype dense, int group_size,
                                       int bits, bool byte_scales) {
  PackedMatrix layout;
  layout.rows = rows;
  layout.cols = cols;
  if (bits == 0) {
    if ((dense != mx::bfloat16 && dense != mx::float16) || cols % 2 != 0) return std::nullopt;
    layout.group_size = cols;
    layout.kind = dense == mx::bfloat16 ? Kind::kBfloat16 : Kind::kFloat16;
    return layout;
  }
  layout.group_size = group_size;
  if (byte_scales) {
    // mxfp4 and nvfp4, which differ in the size of their groups. Those of mxfp8 have no kernel.
    if (bits != 4 || (group_size != 32 && group_size != 16)) return std::nullopt;
    layout.kind = Kind::kFloat4;
    layout.scales =
        group_size == 32 ? PackedMatrix::Scales::kExponents : PackedMatrix::Scales::kFloat8;
    layout.zero = PackedMatrix::kFloat4Zero;
    return layout;
  }
  std::optional<Kind> kind = affine_kind(bits);
  if (!kind) return std::nullopt;
  layout.kind = *kind;
  return layout;
}

std::optional<Packed> Packed::pack(WeightArena& arena, const mx::array& weight,
                                   const std::optional<mx::array>& scales,
                                   const std::optional<mx::array>& biases, int group_size,
                                   int bits) {
  std::optional<PackedMatrix> layout = layout_of(weight, scales, biases, group_size, bits);
  if (!layout) return std::nullopt;
  PackSource source{weight.data<uint8_t>()};
  if (layout->kind == Kind::kFloat4) {
    source.byte_scales = scales->data<uint8_t>();
  } else if (scales) {
    source.scales = scales->data<float>();
    source.biases = biases->data<float>();
  }
  Packed packed = reserve(arena, *layout);
  llm_host::pack(packed.layout_, source, packed.memory());
  return packed;
}

Packed Packed::reserve(WeightArena& arena, PackedMatrix layout) {
  Packed packed(layout, arena.take(layout.bytes()));
  packed.layout_.data = packed.memory();
  return packed;
}

namespace {

mx::array product(const Operand& operand, std::span<const PackedPart> parts,
                  const std::optional<mx::array>& residual, std::optional<Gate> gate) {
  Plan plan{operand.norm_weight.has_value(),
            operand.eps,
            parts.front().matrix.layout().cols,
            residual.has_value(),
            operand.fine_above,
            reproducible(),
            gate,
            {}};
  std::vector<mx::array> inputs{operand.x};
  if (operand.norm_weight) inputs.push_back(*operand.norm_weight);
  if (residual) inputs.push_back(*residual);
  int rows = 0;
  for (const PackedPart& part : parts) {
    plan.parts.push_back({part.matrix, part.bias.has_value(), part.down.has_value()});
    inputs.push_back(part.matrix.buffer());
    if (part.bias) inputs.push_back(*part.bias);
    if (part.down) inputs.insert(inputs.end(), {*part.down, *part.up});
    rows += part.matrix.layout().rows;
  }
  mx::Shape shape = operand.x.shape();
  shape.back() = gate ? rows / 2 : rows;
  return cpu_op("PackedLinear", std::move(shape), std::move(inputs),
                [plan = std::move(plan)](const std::vector<mx::array>& in, mx::array& out) {
                  run(plan, in, out);
                });
}

}  // namespace

mx::array packed_linear(const Operand& operand, std::span<const PackedPart> parts,
                        const std::optional<mx::array>& residual) {
  return product(operand, parts, residual, std::nullopt);
}

mx::array packed_gated(const Operand& operand, std::span<const PackedPart> parts, Gate gate) {
  return product(operand, parts, std::nullopt, gate);
}

mx::array packed_rows(const Packed& matrix, const mx::array& ids) {
  mx::Shape shape = ids.shape();
  shape.push_back(matrix.layout().cols);
  return cpu_op("PackedRows", std::move(shape), {ids, matrix.buffer()},
                [matrix](const std::vector<mx::array>& in, mx::array& out) {
                  const PackedMatrix& view = matrix.layout();
                  const int32_t* ids = in[0].data<int32_t>();
                  float* rows = out.data<float>();
                  auto one = [&](int i) {
                    unpack_row(view, ids[i], rows + static_cast<int64_t>(i) * view.cols);
                  };
                  int count = static_cast<int>(in[0].size());
                  if (count == 1) {
                    one(0);
                  } else {
                    parallel_for(count, one);
                  }
                });
}

}  // namespace llm_host::cpu
