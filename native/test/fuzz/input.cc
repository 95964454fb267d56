#include "fuzz/input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "fuzz/json.h"

namespace fuzz {
namespace {

using llm_host::TensorEntry;
using llm_host::Value;

constexpr double kMaxSafe = 9007199254740991;
constexpr size_t kLengthBytes = 8;

std::optional<uint64_t> integer(const Value& value, double maximum) {
  const double* number = value.as<double>();
  if (number == nullptr || !(*number >= 0 && *number <= maximum)) return std::nullopt;
  return std::floor(*number) == *number ? std::optional(static_cast<uint64_t>(*number))
                                        : std::nullopt;
}

const Value* member(const Value::Object& object, const char* name) {
  auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}

// As to_tensor in addon/convert.cc reads what JavaScript gives it.
std::optional<TensorEntry> tensor(const std::string& name, const Value& value, uint64_t begin) {
  const auto* object = value.as<Value::Object>();
  if (object == nullptr) return std::nullopt;
  const Value *dtype = member(*object, "dtype"), *shape = member(*object, "shape"),
              *range = member(*object, "data_offsets");
  if (dtype == nullptr || shape == nullptr || range == nullptr) return std::nullopt;
  const auto* type = dtype->as<std::string>();
  const auto *sizes = shape->as<Value::Array>(), *ends = range->as<Value::Array>();
  if (type == nullptr || sizes == nullptr || ends == nullptr || ends->size() != 2) {
    return std::nullopt;
  }
  TensorEntry entry{.name = name, .dtype = *type, .shape = {}};
  for (const Value& item : *sizes) {
    auto size = integer(item, std::numeric_limits<int32_t>::max());
    if (!size) return std::nullopt;
    entry.shape.push_back(static_cast<int64_t>(*size));
  }
  auto from = integer((*ends)[0], kMaxSafe), to = integer((*ends)[1], kMaxSafe);
  if (!from || !to || *to < *from) return std::nullopt;
  entry.offset = begin + *from;
  entry.bytes = *to - *from;
  return entry;
}

// One for all inputs.
int memory_file() {
#if defined(__linux__)
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
#else
  static const int file = fileno(std::tmpfile());
#endif
  return file;
}

}  // namespace

TensorFile::TensorFile(const uint8_t* data, size_t size) {
  uint64_t length = 0;
  if (size < kLengthBytes) return;
  std::memcpy(&length, data, kLengthBytes);
  if (length > size - kLengthBytes) return;
  auto header = parse_json({reinterpret_cast<const char*>(data) + kLengthBytes, length});
  const auto* members = header ? header->as<Value::Object>() : nullptr;
  if (members == nullptr) return;
  for (const auto& [name, value] : *members) {
    if (name == "__metadata__") continue;
    auto entry = tensor(name, value, kLengthBytes + length);
    if (!entry) return;
    tensors_.push_back(std::move(*entry));
  }
  const int file = memory_file();
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    throw std::runtime_error("no memory for a file");
  }
  path_ = "/dev/fd/" + std::to_string(file);
  valid_ = true;
}

std::string read_file(const std::string& path) {
  std::ifstream file(std::string(FUZZ_ROOT) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace fuzz
