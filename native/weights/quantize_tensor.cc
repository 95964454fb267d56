#include "weights/quantize_tensor.h"

#include <algorithm>

#include "weights/files/dims.h"
#include "weights/files/dtypes.h"
#include "weights/quantize/quantize.h"
#include "weights/transpose.h"

namespace llm_host {
namespace {

// Floats in memory at a time, in bytes; at least a row, or a matrix that has to be transposed.
constexpr int64_t kBytes = 16 << 20;

FloatType float_type_of(mx::Dtype type) {
  if (type == mx::float32) return FloatType::kF32;
  return type == mx::float16 ? FloatType::kF16 : FloatType::kBF16;
}

}  // namespace

Matrix quantize_tensor(TensorReader& reader, const TensorEntry& entry,
                       const std::vector<int64_t>& dims, int in, const Quantization& q,
                       Orientation orientation) {
  mx::Dtype type = *float_dtype_of(entry.dtype);
  bool affine = q.mode == "affine";
  // First, or the sizes of a broken header could overflow in the products below.
  reader.files().check_bytes(entry, elements(entry) * mx::size_of(type));
  int groups = in / q.group_size;
  int64_t rows = product(dims), row_bytes = int64_t{in} * mx::size_of(type);
  mx::array words = allocate(with(dims, int64_t{in} * q.bits / 32), mx::uint32);
  mx::array scales = allocate(with(dims, groups), affine ? mx::float32 : mx::uint8);
  mx::array biases = allocate(affine ? with(dims, groups) : std::vector<int64_t>{0}, mx::float32);

  bool stored_transposed = orientation == Orientation::kTransposed;
  int64_t step = std::clamp<int64_t>(kBytes / row_bytes, 1, rows);
  if (stored_transposed) step = dims.back();
  std::vector<uint8_t> source(static_cast<size_t>(step * row_bytes));
  for (int64_t begin = 0; begin < rows; begin += step) {
    int64_t count = std::min(step, rows - begin);
    reader.read_bytes(entry, source.data(), static_cast<uint64_t>(count * row_bytes),
                      static_cast<uint64_t>(begin * row_bytes));
    reader.check_finite(entry, type, source.data(), static_cast<size_t>(count * in),
                        static_cast<uint64_t>(begin * in));
    if (stored_transposed) source = transposed(source, mx::size_of(type), in, count);
    QuantizedRows out{words.data<uint8_t>() + begin * in * q.bits / 8, nullptr, nullptr, nullptr};
    if (affine) {
      out.scales = scales.data<float>() + begin * groups;
      out.biases = biases.data<float>() + begin * groups;
    } else {
      out.byte_scales = scales.data<uint8_t>() + begin * groups;
    }
    quantize_rows(q, float_type_of(type), source.data(), count, in, out);
  }
  Matrix result{words, scales, std::nullopt, q.group_size, q.bits, q.mode, type};
  if (affine) result.biases = biases;
  return result;
}

}  // namespace llm_host
