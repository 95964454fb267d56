#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "weights/weight_store.h"

namespace llm_host {

// A temporary weight file and the spec that lists its tensors.
class Checkpoint {
 public:
  Checkpoint() : path_("/tmp/llm-host-weights-" + std::to_string(getpid()) + ".bin") {
    std::ofstream(path_).close();
    spec_.weights.files = {path_};
    spec_.config = Value(Value::Object{});
  }
  ~Checkpoint() { std::remove(path_.c_str()); }

  void add(const std::string& name, mx::array array) {
    array = mx::contiguous(array);
    array.eval();
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    uint64_t offset = static_cast<uint64_t>(file.tellp());
    file.write(array.data<char>(), static_cast<std::streamsize>(array.nbytes()));
    TensorEntry entry{name, type_name(array.dtype()), {}, 0, offset, array.nbytes()};
    for (int size : array.shape()) entry.shape.push_back(size);
    spec_.weights.tensors.push_back(entry);
  }
  void add_bytes(const std::string& name, const char* dtype, std::vector<int64_t> shape,
                 const std::vector<uint8_t>& bytes) {
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    uint64_t offset = static_cast<uint64_t>(file.tellp());
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    spec_.weights.tensors.push_back({name, dtype, std::move(shape), 0, offset, bytes.size()});
  }
  void add_quantized(const std::string& path, const mx::array& w, int group, int bits,
                     const std::string& mode) {
    std::vector<mx::array> parts = mx::quantize(w, group, bits, mode);
    add(path + ".weight", parts[0]);
    add(path + ".scales", parts[1]);
    if (parts.size() > 2) add(path + ".biases", parts[2]);
    Value::Object q;
    q.emplace("group_size", Value(static_cast<double>(group)));
    q.emplace("bits", Value(static_cast<double>(bits)));
    q.emplace("mode", Value(mode));
    Value::Object config;
    config.emplace("quantization", Value(std::move(q)));
    spec_.config = Value(std::move(config));
  }
  WeightStore store() const {
    return WeightStore(spec_, [](uint64_t, uint64_t) {});
  }
  WeightStore store(std::function<void(uint64_t, uint64_t)> progress) const {
    return WeightStore(spec_, std::move(progress));
  }
  LoadSpec& spec() { return spec_; }

 private:
  static std::string type_name(mx::Dtype type) {
    if (type == mx::uint32) return "U32";
    if (type == mx::uint8) return "U8";
    if (type == mx::float16) return "F16";
    return type == mx::bfloat16 ? "BF16" : "F32";
  }

  std::string path_;
  LoadSpec spec_;
};

inline mx::array random(const mx::Shape& shape, int seed = 1) {
  mx::array x = mx::random::normal(shape, mx::float32, 0, 1, mx::random::key(seed));
  x.eval();
  return x;
}

}  // namespace llm_host
