#include "weights/ggml_tensor.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>

#include "common/error.h"
#include "kernels/base/thread_pool.h"
#include "weights/files/dims.h"
#include "weights/ggml.h"

namespace llm_host {
namespace {

// Bytes that a thread reads at a time: they stay in its L2 cache until they are packed.
constexpr int64_t kPartBytes = 256 << 10;
// Bytes from one report of progress, which may cancel the load, to the next.
constexpr int64_t kReportBytes = 16 << 20;

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

// Reads and packs rows, a part of them on each thread.
class GgmlPacking {
 public:
  GgmlPacking(TensorReader& reader, const TensorEntry& entry, const GgmlType& type, int head_dim,
              cpu::Packed& packed)
      : reader_(reader),
        entry_(entry),
        type_(type),
        layout_(packed.layout()),
        memory_(packed.memory()),
        head_dim_(head_dim),
        row_bytes_(static_cast<int64_t>(layout_.cols) / type.block * type.block_bytes) {
    // Whole blocks of packed rows, and whole heads, so that each row is read once.
    constexpr int64_t kRows = PackedMatrix::kBlockRows;
    int64_t unit = head_dim == 0 ? kRows : std::lcm(kRows, int64_t{head_dim});
    part_rows_ = std::max(int64_t{1}, kPartBytes / (unit * row_bytes_)) * unit;
  }

  void run() {
    int64_t parts = (layout_.rows + part_rows_ - 1) / part_rows_;
    int64_t step = std::max(int64_t{1}, kReportBytes / (part_rows_ * row_bytes_));
    for (int64_t begin = 0; begin < parts; begin += step) {
      int64_t end = std::min(parts, begin + step);
      parallel_for(static_cast<int>(end - begin), [&](int i) { try_part(begin + i); });
      if (failure_) std::rethrow_exception(failure_);
      if (not_finite_ >= 0) reader_.refuse_not_finite(entry_, static_cast<uint64_t>(not_finite_));
      int64_t rows = std::min<int64_t>(layout_.rows, end * part_rows_) - begin * part_rows_;
      reader_.report(static_cast<uint64_t>(rows * row_bytes_));
    }
  }

 private:
  // No exception may leave a thread of the pool.
  void try_part(int64_t part) {
    try {
      pack_part(part);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void pack_part(int64_t part) {
    static thread_local std::vector<uint8_t> source;
    int64_t first = part * part_rows_;
    int64_t count = std::min<int64_t>(part_rows_, layout_.rows - first);
    source.resize(static_cast<size_t>(count * row_bytes_));
    reader_.read_part(entry_, source.data(), source.size(),
                      static_cast<uint64_t>(first * row_bytes_));
    zero_padding(first + count);
    for (int64_t i = 0; i < count; ++i) {
      int row = static_cast<int>(first + i);
      int64_t stored = stored_row(row);
      const uint8_t* blocks = source.data() + (stored - first) * row_bytes_;
      int bad = pack_ggml_row(type_, blocks, layout_, row, memory_);
      if (bad >= 0) refuse(stored * layout_.cols + int64_t{bad} * type_.block);
    }
  }

  // Where the file has this row of a head: its halves are interleaved there.
  int64_t stored_row(int row) const {
    if (head_dim_ == 0) return row;
    int half = head_dim_ / 2, in_head = row % head_dim_;
    return row - in_head + in_head % half * 2 + in_head / half;
  }

  // The rows that fill up the last block, if `end` is the end of the matrix.
  void zero_padding(int64_t end) {
    if (end != layout_.rows || layout_.rows % PackedMatrix::kBlockRows == 0) return;
    uint8_t* block = memory_ + (layout_.blocks() - 1) * layout_.block_bytes();
    std::memset(block, 0, static_cast<size_t>(layout_.block_bytes()));
  }

  void refuse(int64_t element) {
    std::lock_guard lock(mutex_);
    if (not_finite_ < 0 || element < not_finite_) not_finite_ = element;
  }

  TensorReader& reader_;
  const TensorEntry& entry_;
  const GgmlType& type_;
  const PackedMatrix& layout_;
  uint8_t* memory_;
  int head_dim_;
  int64_t row_bytes_, part_rows_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  int64_t not_finite_ = -1;
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
  GgmlPacking(reader, entry, type, head_dim, packed).run();
  return packed;
}

}  // namespace llm_host
