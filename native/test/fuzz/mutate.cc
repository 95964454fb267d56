#include "fuzz/mutate.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/json.h"

namespace fuzz {
namespace {

using llm_host::Value;

constexpr size_t kLengthBytes = 8;

class Mutation {
 public:
  explicit Mutation(unsigned seed) : random_(seed) {}

  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }

  // A copy with one to three nodes changed.
  Value changed(Value tree) {
    for (size_t steps = 1 + below(3); steps > 0; --steps) {
      nodes_.clear();
      collect(tree);
      at_ = below(nodes_.size());
      other_ = *nodes_[below(nodes_.size())];
      seen_ = 0;
      tree = copy(tree);
    }
    return tree;
  }

 private:
  void collect(const Value& value) {
    nodes_.push_back(&value);
    if (const auto* items = value.as<Value::Array>()) {
      for (const Value& item : *items) collect(item);
    } else if (const auto* members = value.as<Value::Object>()) {
      for (const auto& member : *members) collect(member.second);
    }
  }

  Value copy(const Value& value) {
    const bool here = seen_++ == at_;
    if (here && below(2) == 0) return replacement(value);
    if (const auto* items = value.as<Value::Array>()) {
      Value::Array copies;
      for (const Value& item : *items) copies.push_back(copy(item));
      if (here) change(copies);
      return Value(std::move(copies));
    }
    if (const auto* members = value.as<Value::Object>()) {
      Value::Object copies;
      for (const auto& [name, member] : *members) copies.emplace(name, copy(member));
      if (here) change(copies);
      return Value(std::move(copies));
    }
    return here ? replacement(value) : value;
  }

  Value replacement(const Value& value) {
    const double* number = value.as<double>();
    if (number != nullptr && below(4) > 0) return Value(nudged(*number));
    const std::string* text = value.as<std::string>();
    if (text != nullptr && below(2) == 0) return Value(mutated(*text));
    switch (below(8)) {
      case 0:
        return Value();
      case 1:
        return Value(below(2) == 0);
      case 2:
        return Value(Value::Array{value});
      case 3:
        return Value(Value::Object{{"a", value}});
      case 4:
        return Value(std::string(kWords[below(std::size(kWords))]));
      case 5:
        return other_;
      default:
        return Value(kNumbers[below(std::size(kNumbers))]);
    }
  }

  double nudged(double number) {
    switch (below(6)) {
      case 0:
        return number + 1;
      case 1:
        return number - 1;
      case 2:
        return number * 2;
      case 3:
        return number / 2;
      case 4:
        return -number;
      default:
        return kNumbers[below(std::size(kNumbers))];
    }
  }

  std::string mutated(const std::string& text) {
    std::vector<uint8_t> bytes(text.begin(), text.end());
    const size_t size = bytes.size();
    bytes.resize(size + 16);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
    // The parser knows no escapes.
    std::replace(bytes.begin(), bytes.end(), uint8_t{'"'}, uint8_t{'\''});
    return {bytes.begin(), bytes.end()};
  }

  void change(Value::Array& items) {
    if (items.empty() || below(3) == 0) return items.push_back(other_);
    if (below(2) == 0) return items.pop_back();
    std::swap(items[below(items.size())], items[below(items.size())]);
  }

  void change(Value::Object& members) {
    if (members.empty()) return static_cast<void>(members.emplace("a", other_));
    auto chosen = std::next(members.begin(), static_cast<std::ptrdiff_t>(below(members.size())));
    if (below(2) == 0) return static_cast<void>(members.erase(chosen));
    members.insert_or_assign(mutated(chosen->first), chosen->second);
  }

  static constexpr double kNumbers[] = {0,          1,     -1,    2,    3,     8,   16,
                                        31,         32,    64,    128,  255,   256, 0.5,
                                        2147483647, 65536, 1e308, -0.0, 1e-30, 1e6, 1e9};
  static constexpr const char* kWords[] = {"",
                                           "a",
                                           "F32",
                                           "F16",
                                           "BF16",
                                           "U8",
                                           "U32",
                                           "I32",
                                           "I64",
                                           "Q4_0",
                                           "Q8_0",
                                           "Q6_K",
                                           "full_attention",
                                           "sliding_attention",
                                           "default",
                                           "linear",
                                           "dynamic",
                                           "yarn",
                                           "llama3",
                                           "longrope",
                                           "mxfp4",
                                           "affine"};

  std::mt19937 random_;
  std::vector<const Value*> nodes_;
  Value other_;
  size_t at_ = 0, seen_ = 0;
};

// 0 if it does not fit.
size_t put(const std::string& text, uint8_t* data, size_t capacity) {
  if (text.size() > capacity) return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

uint64_t bytes_of(const Value::Object& tensor) {
  static const std::pair<const char*, uint64_t> kSizes[] = {{"F32", 4}, {"U32", 4},  {"I32", 4},
                                                            {"F16", 2}, {"BF16", 2}, {"U8", 1}};
  auto type = tensor.find("dtype"), shape = tensor.find("shape");
  if (type == tensor.end() || shape == tensor.end()) return 0;
  const auto* name = type->second.as<std::string>();
  const auto* sizes = shape->second.as<Value::Array>();
  if (name == nullptr || sizes == nullptr) return 0;
  double bytes = 0;
  for (const auto& [known, size] : kSizes) {
    if (*name == known) bytes = static_cast<double>(size);
  }
  for (const Value& size : *sizes) bytes *= size.as<double>() ? *size.as<double>() : 0;
  return bytes >= 0 && bytes < 1e6 ? static_cast<uint64_t>(bytes) : 0;
}

// Sets each tensor's data_offsets to its size, one behind the other. -> the bytes of all.
uint64_t lay_out(Value& header) {
  const auto* members = header.as<Value::Object>();
  if (members == nullptr) return 0;
  Value::Object placed;
  uint64_t at = 0;
  for (const auto& [name, tensor] : *members) {
    const auto* fields = tensor.as<Value::Object>();
    const uint64_t bytes = fields ? bytes_of(*fields) : 0;
    if (bytes == 0) {
      placed.emplace(name, tensor);
      continue;
    }
    Value::Object copy = *fields;
    copy.insert_or_assign("data_offsets",
                          Value(Value::Array{Value(static_cast<double>(at)),
                                             Value(static_cast<double>(at + bytes))}));
    placed.emplace(name, Value(std::move(copy)));
    at += bytes;
  }
  header = Value(std::move(placed));
  return at;
}

}  // namespace

size_t mutate_json(uint8_t* data, size_t size, size_t capacity, unsigned seed) {
  Mutation mutation(seed);
  auto tree = parse_json({reinterpret_cast<const char*>(data), size});
  if (tree && mutation.below(4) > 0) {
    const size_t written = put(write_json(mutation.changed(std::move(*tree))), data, capacity);
    if (written > 0) return written;
  }
  return LLVMFuzzerMutate(data, size, capacity);
}

size_t mutate_tensor_file(uint8_t* data, size_t size, size_t capacity, unsigned seed) {
  Mutation mutation(seed);
  uint64_t length = 0;
  if (size >= kLengthBytes) std::memcpy(&length, data, kLengthBytes);
  if (size < kLengthBytes || length > size - kLengthBytes || mutation.below(4) == 0) {
    return LLVMFuzzerMutate(data, size, capacity);
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + kLengthBytes, length);
  std::string values(reinterpret_cast<const char*>(data) + kLengthBytes + length,
                     size - kLengthBytes - length);
  auto header = parse_json(text);
  if (!header) return LLVMFuzzerMutate(data, size, capacity);
  Value tree = mutation.changed(std::move(*header));
  if (mutation.below(2) == 0) {
    const uint64_t needed = lay_out(tree);
    if (needed > values.size() && needed < capacity) values.resize(needed, '\x3c');
  }
  const std::string written = write_json(tree);
  const uint64_t bytes = written.size();
  std::string whole(reinterpret_cast<const char*>(&bytes), kLengthBytes);
  whole += written;
  whole += values;
  const size_t taken = put(whole, data, capacity);
  return taken > 0 ? taken : LLVMFuzzerMutate(data, size, capacity);
}

}  // namespace fuzz
