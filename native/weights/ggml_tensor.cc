#include "weights/ggml_tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/error.h"
#include "weights/files/dims.h"
#include "weights/files/finite.h"
#include "weights/files/row_parts.h"
#include "weights/ggml/ggml.h"

namespace llm_host {
namespace {

const GgmlType& checked_type(const TensorReader& reader, const TensorEntry& entry) {
  const GgmlType& type = *ggml_type(entry.dtype);
  int64_t in = entry.shape.back();
  if (in % type.block != 0) {
    throw Error(kModelBroken, reader.files().name_of(entry) + " of type " + entry.dtype +
                                  " has rows of " + std::to_string(in) + ", not a multiple of " +
                                  std::to_string(type.block));
  }
  reader.files().check_bytes(entry, elements(entry) / type.block * type.block_bytes);
  return type;
}

// Where the rows of a tensor go in the packed matrix.
struct Rows {
  int head_dim;  // of rotary heads, whose rows are put back in order; 0: none
  StackShape shape;
  int index, count;  // number `index` of `count` stacks

  // Whole blocks of packed rows, and whole heads, so that each row is read once.
  int64_t unit() const {
    constexpr int64_t kRows = PackedMatrix::kBlockRows;
    return head_dim == 0 ? kRows : std::lcm(kRows, int64_t{head_dim});
  }
  int64_t total() const { return int64_t{shape.experts} * shape.rows; }
  // Where the file has this row of a head: its halves are interleaved there.
  int64_t stored(int64_t row) const {
    if (head_dim == 0) return row;
    int64_t half = head_dim / 2, in_head = row % head_dim;
    return row - in_head + in_head % half * 2 + in_head / half;
  }
  int64_t target(int64_t row) const {
    return (row / shape.rows * count + index) * shape.rows + row % shape.rows;
  }
};

class GgmlPacking {
 public:
  GgmlPacking(const TensorReader& reader, const TensorEntry& entry, const GgmlType& type,
              const Rows& rows, cpu::Packed& packed)
      : reader_(reader),
        entry_(entry),
        type_(type),
        rows_(rows),
        layout_(packed.layout()),
        memory_(packed.memory()) {}

  int64_t row_bytes() const { return int64_t{layout_.cols} / type_.block * type_.block_bytes; }

  void pack(int64_t first, int64_t count, const uint8_t* source) const {
    zero_padding(first + count);
    int64_t not_finite = -1;
    for (int64_t row = first; row < first + count; ++row) {
      int64_t stored = rows_.stored(row);
      const uint8_t* blocks = source + (stored - first) * row_bytes();
      int target = static_cast<int>(rows_.target(row));
      int bad = pack_ggml_row(type_, blocks, layout_, target, memory_);
      if (bad < 0) continue;
      int64_t element = stored * layout_.cols + int64_t{bad} * type_.block;
      not_finite = not_finite < 0 ? element : std::min(not_finite, element);
    }
    if (not_finite >= 0) reader_.refuse_not_finite(entry_, static_cast<uint64_t>(not_finite));
  }

 private:
  // The rows that fill up the last block, if `end` is the end of the matrix.
  void zero_padding(int64_t end) const {
    if (end != layout_.rows || layout_.rows % PackedMatrix::kBlockRows == 0) return;
    uint8_t* block = memory_ + (layout_.blocks() - 1) * layout_.block_bytes();
    std::memset(block, 0, static_cast<size_t>(layout_.block_bytes()));
  }

  const TensorReader& reader_;
  const TensorEntry& entry_;
  const GgmlType& type_;
  const Rows& rows_;
  const PackedMatrix& layout_;
  uint8_t* memory_;
};

Matrix mxfp4(TensorReader& reader, const TensorEntry& entry, const uint8_t* source, int64_t blocks,
             mx::array words) {
  std::vector<int64_t> dims(entry.shape.begin(), entry.shape.end() - 1);
  mx::array exponents = allocate(with(dims, entry.shape.back() / kGgmlGroup), mx::uint8);
  repack_mxfp4(source, blocks, words.data<uint32_t>(), exponents.data<uint8_t>());
  int64_t bad = first_not_finite_e8m0(exponents.data<uint8_t>(), exponents.size());
  if (bad >= 0) reader.refuse_not_finite(entry, static_cast<uint64_t>(bad) * kGgmlGroup);
  return {std::move(words), exponents, std::nullopt, kGgmlGroup, 4, "mxfp4", mx::float32};
}

}  // namespace

Matrix read_ggml_tensor(TensorReader& reader, const TensorEntry& entry) {
  const GgmlType& type = checked_type(reader, entry);
  std::vector<int64_t> dims(entry.shape.begin(), entry.shape.end() - 1);
  int64_t in = entry.shape.back();
  int64_t blocks = static_cast<int64_t>(elements(entry)) / type.block;
  std::vector<uint8_t> source(static_cast<size_t>(blocks) * type.block_bytes);
  reader.read_bytes(entry, source.data(), source.size(), 0);

  mx::array words = allocate(with(dims, in * type.bits / 32), mx::uint32);
  if (type.floats()) return mxfp4(reader, entry, source.data(), blocks, std::move(words));
  mx::array scales = allocate(with(dims, in / kGgmlGroup), mx::float32);
  mx::array biases = allocate(with(dims, in / kGgmlGroup), mx::float32);
  repack_ggml(type, source.data(), blocks, words.data<uint32_t>(), scales.data<float>(),
              biases.data<float>());
  reader.check_finite(entry, mx::float32, scales.data<float>(), scales.size(), 0);
  reader.check_finite(entry, mx::float32, biases.data<float>(), biases.size(), 0);
  return {words, scales, biases, kGgmlGroup, type.bits, "affine", mx::float32};
}

std::optional<cpu::Packed> pack_ggml_tensors(TensorReader& reader,
                                             std::span<const TensorEntry* const> stacks,
                                             const StackShape& shape, WeightArena& arena,
                                             int head_dim) {
  auto count = static_cast<int>(stacks.size());
  int64_t rows = int64_t{count} * shape.experts * shape.rows;
  bool whole = shape.experts * count == 1 || shape.rows % PackedMatrix::kBlockRows == 0;
  if (!whole || rows > std::numeric_limits<int>::max()) return std::nullopt;
  for (const TensorEntry* stack : stacks) {
    if (stack->dtype != stacks.front()->dtype) return std::nullopt;
  }
  const GgmlType& type = checked_type(reader, *stacks.front());
  cpu::Packed packed =
      cpu::Packed::reserve(arena, packed_layout(type, static_cast<int>(rows), shape.cols));
  for (int i = 0; i < count; ++i) {
    const TensorEntry& entry = *stacks[static_cast<size_t>(i)];
    checked_type(reader, entry);
    Rows order{head_dim, shape, i, count};
    GgmlPacking packing(reader, entry, type, order, packed);
    RowParts(reader, entry, order.total(), packing.row_bytes(), order.unit())
        .each([&](int64_t first, int64_t part, const uint8_t* source) {
          packing.pack(first, part, source);
        });
  }
  return packed;
}

}  // namespace llm_host
