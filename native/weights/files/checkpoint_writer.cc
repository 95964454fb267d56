#include "weights/files/checkpoint_writer.h"

#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace llm_host {
namespace {

constexpr uint64_t kMaxShard = 5'000'000'000;

// Names have no control characters: src/model refuses files that do.
std::string quoted(const std::string& text) {
  std::string result(1, '"');
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  result += '"';
  return result;
}

// Three tensors for each one of the source, with their descriptions.
uint64_t header_bound(const WeightFiles& source) {
  uint64_t bytes = 100;
  for (const TensorEntry& entry : source.tensors) bytes += 3 * (2 * entry.name.size() + 160);
  return bytes;
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string folder, const WeightFiles& source)
    : folder_(std::move(folder)), max_header_((header_bound(source) + 7) / 8 * 8) {}

CheckpointWriter::~CheckpointWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void CheckpointWriter::fail(const char* doing) const {
  throw Error(kUsage, folder_ + "/shard-" + std::to_string(shard_) + ".safetensors: cannot " +
                          doing + ": " + std::strerror(errno));
}

void CheckpointWriter::open_shard() {
  ++shard_;
  data_bytes_ = 0;
  header_ = R"({"__metadata__":{"format":"mlx"})";
  file_ =
      std::fopen((folder_ + "/shard-" + std::to_string(shard_) + ".safetensors").c_str(), "wbx");
  if (file_ == nullptr) fail("create");
  if (std::fseek(file_, static_cast<long>(8 + max_header_), SEEK_SET) != 0) fail("write");
}

void CheckpointWriter::write(const void* data, uint64_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail("write");
}

// Pads the header with spaces, which the format allows at its end.
void CheckpointWriter::close_shard() {
  header_ += '}';
  if (header_.size() > max_header_) throw Error(kEngine, "the header of a shard grew too long");
  header_.resize(max_header_, ' ');
  if (std::fseek(file_, 0, SEEK_SET) != 0) fail("write");
  write(&max_header_, sizeof max_header_);
  write(header_.data(), header_.size());
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail("write");
}

void CheckpointWriter::add(const std::string& name, const char* dtype,
                           const std::vector<int64_t>& shape, const void* data, uint64_t bytes) {
  if (file_ != nullptr && data_bytes_ + bytes > kMaxShard) close_shard();
  if (file_ == nullptr) open_shard();
  header_ += ',';
  header_ += quoted(name);
  header_ += ":{\"dtype\":\"";
  header_ += dtype;
  header_ += "\",\"shape\":[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) header_ += ',';
    header_ += std::to_string(shape[i]);
  }
  header_ += "],\"data_offsets\":[" + std::to_string(data_bytes_) + ',';
  header_ += std::to_string(data_bytes_ + bytes) + "]}";
  write(data, bytes);
  data_bytes_ += bytes;
}

void CheckpointWriter::finish() {
  if (file_ != nullptr) close_shard();
}

}  // namespace llm_host
