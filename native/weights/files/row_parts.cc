#include "weights/files/row_parts.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "kernels/base/thread_pool.h"

namespace llm_host {
namespace {

// Bytes that a thread reads at a time: they stay in its L2 cache until they are packed.
constexpr int64_t kPartBytes = 256 << 10;
// Bytes from one report of progress, which may cancel the load, to the next.
constexpr int64_t kReportBytes = 16 << 20;

}  // namespace

RowParts::RowParts(TensorReader& reader, const TensorEntry& entry, int64_t rows, int64_t row_bytes,
                   int64_t unit)
    : reader_(reader),
      entry_(entry),
      rows_(rows),
      row_bytes_(row_bytes),
      part_rows_(std::max(int64_t{1}, kPartBytes / (unit * row_bytes)) * unit) {}

void RowParts::each(const std::function<void(int64_t, int64_t, const uint8_t*)>& body) {
  int64_t parts = (rows_ + part_rows_ - 1) / part_rows_;
  int64_t step = std::max(int64_t{1}, kReportBytes / (part_rows_ * row_bytes_));
  for (int64_t begin = 0; begin < parts; begin += step) {
    int64_t end = std::min(parts, begin + step);
    // No exception may leave a thread of the pool.
    std::vector<std::exception_ptr> failures(static_cast<size_t>(end - begin));
    parallel_for(static_cast<int>(end - begin), [&](int i) {
      try {
        read(begin + i, body);
      } catch (...) {
        failures[static_cast<size_t>(i)] = std::current_exception();
      }
    });
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    int64_t rows = std::min(rows_, end * part_rows_) - begin * part_rows_;
    reader_.report(static_cast<uint64_t>(rows * row_bytes_));
  }
}

void RowParts::read(int64_t part,
                    const std::function<void(int64_t, int64_t, const uint8_t*)>& body) const {
  static thread_local std::vector<uint8_t> bytes;
  int64_t first = part * part_rows_, count = std::min(part_rows_, rows_ - first);
  bytes.resize(static_cast<size_t>(count * row_bytes_));
  reader_.read_part(entry_, bytes.data(), bytes.size(), static_cast<uint64_t>(first * row_bytes_));
  body(first, count, bytes.data());
}

}  // namespace llm_host
