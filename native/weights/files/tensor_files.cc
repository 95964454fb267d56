#include "weights/files/tensor_files.h"

#include <algorithm>

#include "common/error.h"

namespace llm_host {
namespace {

std::string text_of(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

uint64_t row_bytes(const TensorEntry& entry) {
  uint64_t columns = static_cast<uint64_t>(entry.shape.back());
  return entry.bytes / (elements(entry) / columns);
}

}  // namespace

TensorFiles::TensorFiles(const WeightFiles& weights) {
  for (const std::string& path : weights.files) files_.emplace_back(path);
  for (const TensorEntry& entry : weights.tensors) {
    if (entry.file >= files_.size()) {
      throw Error(kModelBroken, "tensor " + entry.name + " is in file " +
                                    std::to_string(entry.file) + " of " +
                                    std::to_string(files_.size()));
    }
    if (!entries_.emplace(entry.name, &entry).second) {
      throw Error(kModelBroken, name_of(entry) + " is there twice");
    }
  }
}

const TensorEntry* TensorFiles::find(const std::string& name) const {
  auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

void TensorFiles::read(const TensorEntry& entry, void* data, uint64_t bytes, uint64_t start,
                       const std::function<void(uint64_t)>& on_chunk) const {
  const File& file = files_[entry.file];
  std::string what = "tensor " + entry.name;
  if (entry.row_stride == 0) return file.read(data, bytes, entry.offset + start, what, on_chunk);
  uint64_t width = row_bytes(entry);
  for (auto* to = static_cast<uint8_t*>(data); bytes > 0;) {
    uint64_t row = start / width, column = start % width, count = std::min(bytes, width - column);
    file.read(to, count, entry.offset + row * entry.row_stride + column, what, on_chunk);
    to += count;
    start += count;
    bytes -= count;
  }
}

std::string TensorFiles::name_of(const TensorEntry& entry) const {
  return "tensor " + entry.name + " (" + files_[entry.file].path() + ")";
}

std::string TensorFiles::where() const {
  if (files_.empty()) return "";
  std::string more = files_.size() > 1 ? " and " + std::to_string(files_.size() - 1) + " more" : "";
  return " (looked in " + files_.front().path() + more + ")";
}

void TensorFiles::check_bytes(const TensorEntry& entry, uint64_t expected) const {
  if (entry.bytes != expected) {
    throw Error(kModelBroken, name_of(entry) + " has " + std::to_string(entry.bytes) +
                                  " bytes, its shape and type need " + std::to_string(expected));
  }
  uint64_t extent = expected;
  if (entry.row_stride > 0) {
    uint64_t width = row_bytes(entry);
    extent = (expected / width - 1) * entry.row_stride + width;
  }
  files_[entry.file].check_range(extent, entry.offset, "tensor " + entry.name);
}

void TensorFiles::check_shape(const TensorEntry& entry,
                              const std::vector<int64_t>& expected) const {
  if (entry.shape == expected) return;
  throw Error(kModelBroken, name_of(entry) + " has shape " + text_of(entry.shape) +
                                ", config.json asks for " + text_of(expected));
}

uint64_t elements(const TensorEntry& entry) {
  uint64_t count = 1;
  for (int64_t size : entry.shape) {
    if (size < 1 || count > (uint64_t{1} << 40) / static_cast<uint64_t>(size)) {
      throw Error(kModelBroken, "tensor " + entry.name + " has shape " + text_of(entry.shape));
    }
    count *= static_cast<uint64_t>(size);
  }
  return count;
}

}  // namespace llm_host
