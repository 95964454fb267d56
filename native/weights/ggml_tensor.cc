#include "weights/ggml_tensor.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/error.h"
#include "weights/files/dims.h"
#include "weights/files/row_parts.h"
#include "weights/ggml.h"

namespace llm_host {
namespace {

const GgmlType& checked_type(const TensorReader& reader, const TensorEntry& entry) {
  const GgmlType& type = *ggml_type(entry.dtype);
  int64_t in = entry.shape[1];
  if (in % type.block != 0) {
    throw Error(kModelBroken, reader.files().name_of(entry) + " of type " + entry.dtype +
                                  " has rows of " + std::to_string(in) + ", not a multiple of " +
                                  std::to_string(type.block));
  }
  reader.files().check_bytes(entry, elements(entry) / type.block * type.block_bytes);
  return type;
}

// Packs rows of blocks; those of rotary heads get their order back.
class GgmlPacking {
 public:
  GgmlPacking(const TensorReader& reader, const TensorEntry& entry, const GgmlType& type,
              int head_dim, cpu::Packed& packed)
      : reader_(reader),
        entry_(entry),
        type_(type),
        layout_(packed.layout()),
        memory_(packed.memory()),
        head_dim_(head_dim) {}

  int64_t row_bytes() const { return int64_t{layout_.cols} / type_.block * type_.block_bytes; }

  // Whole blocks of packed rows, and whole heads, so that each row is read once.
  int64_t unit() const {
    constexpr int64_t kRows = PackedMatrix::kBlockRows;
    return head_dim_ == 0 ? kRows : std::lcm(kRows, int64_t{head_dim_});
  }

  void pack(int64_t first, int64_t count, const uint8_t* source) const {
    zero_padding(first + count);
    int64_t not_finite = -1;
    for (int64_t i = 0; i < count; ++i) {
      int row = static_cast<int>(first + i);
      int64_t stored = stored_row(row);
      const uint8_t* blocks = source + (stored - first) * row_bytes();
      int bad = pack_ggml_row(type_, blocks, layout_, row, memory_);
      if (bad < 0) continue;
      int64_t element = stored * layout_.cols + int64_t{bad} * type_.block;
      not_finite = not_finite < 0 ? element : std::min(not_finite, element);
    }
    if (not_finite >= 0) reader_.refuse_not_finite(entry_, static_cast<uint64_t>(not_finite));
  }

 private:
  // Where the file has this row of a head: its halves are interleaved there.
  int64_t stored_row(int row) const {
    if (head_dim_ == 0) return row;
    int half = head_dim_ / 2, in_head = row % head_dim_;
    return row - in_head + in_head % half * 2 + in_head / half;
  }

  // The rows that fill up the last block, if `end` is the end of the matrix.
  void zero_padding(int64_t end) const {
    if (end != layout_.rows || layout_.rows % PackedMatrix::kBlockRows == 0) return;
    uint8_t* block = memory_ + (layout_.blocks() - 1) * layout_.block_bytes();
    std::memset(block, 0, static_cast<size_t>(layout_.block_bytes()));
  }

  const TensorReader& reader_;
  const TensorEntry& entry_;
  const GgmlType& type_;
  const PackedMatrix& layout_;
  uint8_t* memory_;
  int head_dim_;
};

}  // namespace

Matrix read_ggml_tensor(TensorReader& reader, const TensorEntry& entry) {
  const GgmlType& type = checked_type(reader, entry);
  int out = static_cast<int>(entry.shape[0]), in = static_cast<int>(entry.shape[1]);
  int64_t blocks = static_cast<int64_t>(elements(entry)) / type.block;
  std::vector<uint8_t> source(static_cast<size_t>(blocks) * type.block_bytes);
  reader.read_bytes(entry, source.data(), source.size(), 0);

  mx::array words = allocate({out, in * type.bits / 32}, mx::uint32);
  mx::array scales = allocate({out, in / kGgmlGroup}, mx::float32);
  mx::array biases = allocate({out, in / kGgmlGroup}, mx::float32);
  repack_ggml(type, source.data(), blocks, words.data<uint32_t>(), scales.data<float>(),
              biases.data<float>());
  reader.check_finite(entry, mx::float32, scales.data<float>(), scales.size(), 0);
  reader.check_finite(entry, mx::float32, biases.data<float>(), biases.size(), 0);
  return {words, scales, biases, kGgmlGroup, type.bits, "affine", mx::float32};
}

cpu::Packed pack_ggml_tensor(TensorReader& reader, const TensorEntry& entry, WeightArena& arena,
                             int head_dim) {
  const GgmlType& type = checked_type(reader, entry);
  int rows = static_cast<int>(entry.shape[0]), cols = static_cast<int>(entry.shape[1]);
  cpu::Packed packed = cpu::Packed::reserve(arena, packed_layout(type, rows, cols));
  GgmlPacking packing(reader, entry, type, head_dim, packed);
  RowParts(reader, entry, rows, packing.row_bytes(), packing.unit())
      .each([&](int64_t first, int64_t count, const uint8_t* source) {
        packing.pack(first, count, source);
      });
  return packed;
}

}  // namespace llm_host
