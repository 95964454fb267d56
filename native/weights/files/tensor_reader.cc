#include "weights/files/tensor_reader.h"

#include "common/error.h"
#include "weights/files/dtypes.h"
#include "weights/files/finite.h"

namespace llm_host {

int64_t first_not_finite(mx::Dtype type, const void* data, size_t count) {
  if (type == mx::float32) {
    return first_not_finite_f32(static_cast<const uint32_t*>(data), count);
  }
  const uint16_t* values = static_cast<const uint16_t*>(data);
  return type == mx::float16 ? first_not_finite_f16(values, count)
                             : first_not_finite_bf16(values, count);
}

TensorReader::TensorReader(const WeightFiles& weights, LoadProgress& progress)
    : files_(weights), progress_(progress) {
  for (const TensorEntry& entry : weights.tensors) progress.total += entry.bytes;
}

const TensorEntry& TensorReader::entry(const std::string& name) {
  const TensorEntry* found = files_.find(name);
  if (found == nullptr) {
    throw Error(kModelBroken, "the weights have no tensor " + name + files_.where());
  }
  used_.insert(name);
  return *found;
}

std::vector<std::string> TensorReader::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : files_.entries()) {
    if (!used_.contains(name)) names.push_back(name);
  }
  return names;
}

void TensorReader::read_bytes(const TensorEntry& entry, void* data, uint64_t bytes,
                              uint64_t start) {
  files_.read(entry, data, bytes, start, [this](uint64_t chunk) { report(chunk); });
}

void TensorReader::read_part(const TensorEntry& entry, void* data, uint64_t bytes,
                             uint64_t start) const {
  files_.read(entry, data, bytes, start, [](uint64_t) {});
}

void TensorReader::report(uint64_t bytes) {
  progress_.done += bytes;
  progress_.report(progress_.done, progress_.total);
}

void TensorReader::refuse_not_finite(const TensorEntry& entry, uint64_t index) const {
  throw Error(kModelBroken, files_.name_of(entry) +
                                " has a value that is infinite or not a number at element " +
                                std::to_string(index) + "; fetch the file again");
}

mx::array TensorReader::read(const TensorEntry& entry, mx::Dtype type) {
  uint64_t bytes = elements(entry) * mx::size_of(type);
  files_.check_bytes(entry, bytes);
  mx::Shape shape;
  for (int64_t size : entry.shape) shape.push_back(static_cast<int>(size));
  mx::array array(mx::allocator::malloc(bytes), shape, type);
  read_bytes(entry, array.data<uint8_t>(), bytes, 0);
  return array;
}

mx::array TensorReader::read_float(const TensorEntry& entry) {
  auto type = float_dtype_of(entry.dtype);
  if (!type) {
    throw Error(kModelBroken,
                files_.name_of(entry) + " has type " + entry.dtype + ", expected F32, F16 or BF16");
  }
  mx::array array = read(entry, *type);
  check_finite(entry, *type, array.data<uint8_t>(), array.size(), 0);
  return array;
}

mx::array TensorReader::read_byte_scales(const TensorEntry& entry, const std::string& mode) {
  mx::array scales = read(entry, mx::uint8);
  const uint8_t* bytes = scales.data<uint8_t>();
  int64_t bad = mode == "nvfp4" ? first_not_finite_e4m3(bytes, scales.size())
                                : first_not_finite_e8m0(bytes, scales.size());
  if (bad >= 0) refuse_not_finite(entry, static_cast<uint64_t>(bad));
  return scales;
}

void TensorReader::check_finite(const TensorEntry& entry, mx::Dtype type, const void* data,
                                size_t count, uint64_t first) const {
  int64_t bad = first_not_finite(type, data, count);
  if (bad >= 0) refuse_not_finite(entry, first + static_cast<uint64_t>(bad));
}

}  // namespace llm_host
