#include "weights/mlx_tensor.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "weights/files/dtypes.h"
#include "weights/files/row_parts.h"

namespace llm_host {
namespace {

using Scales = PackedMatrix::Scales;
constexpr int kPackedRows = PackedMatrix::kBlockRows;

// The layout of `rows` rows, without its type of scales; std::nullopt if there is no kernel.
std::optional<PackedMatrix> layout_of(const MlxTensor& stack, int64_t rows, int cols) {
  int bits = stack.quantization.bits;
  std::optional<mx::Dtype> dense = float_dtype_of(stack.weight->dtype);
  if ((bits == 0 && !dense) || rows > std::numeric_limits<int>::max()) return std::nullopt;
  return cpu::mlx_layout(static_cast<int>(rows), cols, dense.value_or(mx::uint32),
                         stack.quantization.group_size, bits, stack.scales && !stack.biases);
}

bool stored_alike(const MlxTensor& a, const MlxTensor& b) {
  auto same = [](const TensorEntry* x, const TensorEntry* y) {
    return (x == nullptr) == (y == nullptr) && (x == nullptr || x->dtype == y->dtype);
  };
  const Quantization &p = a.quantization, &q = b.quantization;
  return p.bits == q.bits && p.group_size == q.group_size && p.mode == q.mode &&
         same(a.weight, b.weight) && same(a.scales, b.scales) && same(a.biases, b.biases);
}

// A stack's scales and biases, in memory.
struct StackScales {
  std::optional<mx::array> scales, biases;
};

StackScales read_scales(TensorReader& reader, const MlxTensor& stack) {
  if (!stack.scales) return {};
  if (!stack.biases) return {reader.read_byte_scales(*stack.scales, stack.quantization.mode), {}};
  return {reader.read_float(*stack.scales), reader.read_float(*stack.biases)};
}

Scales scales_type(const StackScales& read) {
  mx::Dtype type = read.scales->dtype();
  if (type == mx::float16) return Scales::kFloat16;
  if (type == mx::bfloat16) return Scales::kBfloat16;
  return smallest_scales(read.scales->data<float>(), read.biases->data<float>(),
                         static_cast<int64_t>(read.scales->size()));
}

PackSource source_of(const PackedMatrix& layout, const StackScales& read) {
  PackSource source{nullptr};
  if (!read.scales) return source;
  if (!read.biases) {
    source.byte_scales = read.scales->data<uint8_t>();
    return source;
  }
  source.scales = read.scales->data<uint8_t>();
  source.biases = read.biases->data<uint8_t>();
  source.packed_type = layout.scales == Scales::kFloat32 || read.scales->dtype() != mx::float32;
  return source;
}

// The codes of stack number `index` of `count` -> their rows of each expert.
void pack_rows(TensorReader& reader, const MlxTensor& stack, const StackScales& scales,
               const StackShape& shape, int index, int count, cpu::Packed& packed) {
  const PackedMatrix& layout = packed.layout();
  uint8_t* memory = packed.memory();
  int64_t row_bytes = int64_t{layout.groups()} * layout.group_words() * 4;
  int64_t rows = int64_t{shape.experts} * shape.rows;
  PackSource whole = source_of(layout, scales);
  RowParts parts(reader, *stack.weight, rows, row_bytes, kPackedRows);
  parts.each([&](int64_t first, int64_t part, const uint8_t* bytes) {
    if (!layout.quantized()) {
      reader.check_finite(*stack.weight, *float_dtype_of(stack.weight->dtype), bytes,
                          static_cast<size_t>(part * layout.cols),
                          static_cast<uint64_t>(first * layout.cols));
    }
    for (int64_t i = 0; i < part; i += kPackedRows) {
      int64_t row = first + i, expert = row / shape.rows;
      int64_t target = (expert * count + index) * shape.rows + row % shape.rows;
      PackSource source = from_row(layout, whole, row);
      source.weight = bytes + i * row_bytes;
      pack_block(layout, source, static_cast<int>(std::min<int64_t>(kPackedRows, part - i)),
                 memory + target / kPackedRows * layout.block_bytes());
    }
  });
}

}  // namespace

std::optional<cpu::Packed> pack_mlx_tensors(TensorReader& reader, std::span<const MlxTensor> stacks,
                                            const StackShape& shape, WeightArena& arena) {
  auto count = static_cast<int>(stacks.size());
  if (shape.experts * count > 1 && shape.rows % kPackedRows != 0) return std::nullopt;
  const MlxTensor& like = stacks.front();
  if (like.biases && like.biases->dtype != like.scales->dtype) return std::nullopt;
  for (const MlxTensor& stack : stacks) {
    if (!stored_alike(stack, like)) return std::nullopt;
  }
  std::optional<PackedMatrix> layout =
      layout_of(like, int64_t{count} * shape.experts * shape.rows, shape.cols);
  if (!layout) return std::nullopt;
  for (const MlxTensor& stack : stacks) {
    size_t item = mx::size_of(*dtype_of(stack.weight->dtype));
    reader.files().check_bytes(*stack.weight, elements(*stack.weight) * item);
  }
  std::vector<StackScales> scales;
  for (const MlxTensor& stack : stacks) {
    scales.push_back(read_scales(reader, stack));
    if (!stack.biases) continue;
    Scales type = scales_type(scales.back());
    // A type that represents each stack exactly may not represent all.
    bool differs = scales.size() > 1 && type != layout->scales;
    layout->scales = differs ? Scales::kFloat32 : type;
  }
  cpu::Packed packed = cpu::Packed::reserve(arena, *layout);
  for (int i = 0; i < count; ++i) {
    pack_rows(reader, stacks[static_cast<size_t>(i)], scales[static_cast<size_t>(i)], shape, i,
              count, packed);
  }
  return packed;
}

}  // namespace llm_host
