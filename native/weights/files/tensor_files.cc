#include "weights/files/tensor_files.h"

#include "common/error.h"

namespace llm_host {
namespace {

std::string text_of(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
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
  files_[entry.file].read(data, bytes, entry.offset + start, "tensor " + entry.name, on_chunk);
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
  files_[entry.file].check_range(expected, entry.offset, "tensor " + entry.name);
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
