#include "weights/transpose.h"

#include <algorithm>

namespace llm_host {
namespace {

// Work in squares of this size, which stay in the CPU's cache.
constexpr int64_t kSquare = 32;

template <typename T>
void transpose(const uint8_t* source, uint8_t* out, int64_t rows, int64_t columns) {
  const T* from = reinterpret_cast<const T*>(source);
  T* to = reinterpret_cast<T*>(out);
  for (int64_t top = 0; top < rows; top += kSquare) {
    for (int64_t left = 0; left < columns; left += kSquare) {
      int64_t bottom = std::min(top + kSquare, rows), right = std::min(left + kSquare, columns);
      for (int64_t column = left; column < right; ++column) {
        for (int64_t row = top; row < bottom; ++row) {
          to[column * rows + row] = from[row * columns + column];
        }
      }
    }
  }
}

}  // namespace

std::vector<uint8_t> transposed(const std::vector<uint8_t>& matrix, size_t value_bytes,
                                int64_t rows, int64_t columns) {
  std::vector<uint8_t> result(matrix.size());
  auto by_size = value_bytes == 4 ? transpose<uint32_t> : transpose<uint16_t>;
  by_size(matrix.data(), result.data(), rows, columns);
  return result;
}

}  // namespace llm_host
