#include "engine/cache_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <unordered_map>

#include "common/error.h"
#include "mlx/mlx.h"
#include "weights/file.h"
#include "weights/tensor_reader.h"

namespace llm_host {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(kCache, path + ": " + what);
}

// A file that is removed again unless it is finished.
class NewFile final : public mx::io::Writer {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)), part_(path_ + ".part-" + std::to_string(getpid())) {
    // Conversations are their user's own.
    descriptor_ =
        ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ < 0) refuse(path_, std::string("cannot be written: ") + std::strerror(errno));
  }
  ~NewFile() override {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(part_.c_str());
  }

  void finish() {
    if (fsync(descriptor_) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) fail();
    ::close(descriptor_);
    descriptor_ = -1;
  }

  bool is_open() const override { return descriptor_ >= 0; }
  bool good() const override { return is_open(); }
  size_t tell() override { return static_cast<size_t>(lseek(descriptor_, 0, SEEK_CUR)); }
  void seek(int64_t offset, std::ios_base::seekdir way) override {
    int origin = way == std::ios_base::beg   ? SEEK_SET
                 : way == std::ios_base::end ? SEEK_END
                                             : SEEK_CUR;
    if (lseek(descriptor_, offset, origin) < 0) fail();
  }
  void write(const char* data, size_t size) override {
    while (size > 0) {
      ssize_t n = ::write(descriptor_, data, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      data += n;
      size -= static_cast<size_t>(n);
    }
  }
  std::string label() const override { return path_; }

 private:
  [[noreturn]] void fail() const {
    refuse(path_, std::string("cannot be written: ") + std::strerror(errno));
  }

  std::string path_, part_;
  int descriptor_;
};

mx::Dtype dtype_of(const std::string& path, const TensorEntry& entry) {
  static const std::map<std::string, mx::Dtype> kTypes = {{"F32", mx::float32},
                                                          {"F16", mx::float16},
                                                          {"BF16", mx::bfloat16},
                                                          {"U32", mx::uint32},
                                                          {"I32", mx::int32}};
  auto it = kTypes.find(entry.dtype);
  if (it == kTypes.end()) refuse(path, "tensor " + entry.name + " has type " + entry.dtype);
  return it->second;
}

mx::array read_tensor(const File& file, const TensorEntry& entry) {
  mx::Dtype dtype = dtype_of(file.path(), entry);
  mx::Shape shape;
  uint64_t bytes = dtype.size();
  for (int64_t size : entry.shape) {
    shape.push_back(static_cast<int>(size));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) bytes = 0;
  }
  if (bytes == 0 || bytes != entry.bytes) {
    refuse(file.path(), "tensor " + entry.name + " has " + std::to_string(entry.bytes) + " bytes");
  }
  mx::array array(mx::allocator::malloc(bytes), std::move(shape), dtype);
  file.read(array.data<uint8_t>(), bytes, entry.offset, "tensor " + entry.name, [](uint64_t) {});
  // Of one such value nothing but such values follows, and the weights would be blamed.
  bool floats = mx::issubdtype(dtype, mx::floating);
  if (floats && first_not_finite(dtype, array.data<uint8_t>(), array.size()) >= 0) {
    refuse(file.path(), "tensor " + entry.name + " has a value that is infinite or no number");
  }
  return array;
}

struct Contents {
  std::vector<int32_t> ids;
  int planned = 0;
  std::map<size_t, std::map<std::string, mx::array>> layers;
};

std::vector<int32_t> read_integers(const File& file, const TensorEntry& entry) {
  mx::array values = read_tensor(file, entry);
  if (values.ndim() != 1 || values.dtype() != mx::int32) {
    refuse(file.path(), "tensor " + entry.name + " must be a list of int32");
  }
  return {values.data<int32_t>(), values.data<int32_t>() + values.size()};
}

Contents read_contents(const CacheFile& source, size_t layers) {
  File file(source.weights.files.at(0));
  Contents contents;
  for (const TensorEntry& entry : source.weights.tensors) {
    if (entry.name == "ids") {
      contents.ids = read_integers(file, entry);
      continue;
    }
    if (entry.name == "planned") {
      contents.planned = read_integers(file, entry).front();
      continue;
    }
    size_t layer = 0;
    int at = 0;
    bool named = std::sscanf(entry.name.c_str(), "layers.%9zu.%n", &layer, &at) == 1 && at > 0;
    if (!named || layer >= layers) {
      refuse(file.path(), "has tensor " + entry.name + ", which this model has no place for");
    }
    contents.layers[layer].emplace(entry.name.substr(static_cast<size_t>(at)),
                                   read_tensor(file, entry));
  }
  if (contents.ids.empty()) refuse(file.path(), "holds no token ids");
  if (contents.planned < 1) refuse(file.path(), "holds no length that its positions were made for");
  return contents;
}

// What the layers without fixed shapes of their own would hold after a token: the graph is built,
// but nothing of it computed.
ModelCache after_one_token(const Model& model, const CacheOptions& options) {
  ModelCache cache = model.new_cache(options);
  model.body(mx::zeros({1, 1}, mx::int32), cache, 1);
  return cache;
}

void check_state(const LayerState& state, const LayerState& like) {
  bool same = state.arrays.size() == like.arrays.size();
  for (const auto& [name, array] : like.arrays) {
    auto it = state.arrays.find(name);
    same = same && it != state.arrays.end() && it->second.shape() == array.shape() &&
           it->second.dtype() == array.dtype();
  }
  if (!same) throw std::invalid_argument("the state does not fit this layer");
}

}  // namespace

SavedCache write_cache(const Sequence& sequence, const std::string& path,
                       const std::string& model_hash) {
  if (sequence.ids.empty()) refuse(path, "there is nothing to save: the cache holds no tokens");
  int count = static_cast<int>(sequence.ids.size());
  std::unordered_map<std::string, mx::array> tensors;
  tensors.emplace("ids", mx::array(sequence.ids.begin(), {count}, mx::int32));
  tensors.emplace("planned", mx::array({sequence.cache.planned()}, {1}, mx::int32));
  for (size_t i = 0; i < sequence.cache.layers(); ++i) {
    for (const auto& [name, array] : sequence.cache.state_of(i).arrays) {
      tensors.emplace("layers." + std::to_string(i) + "." + name, mx::contiguous(array));
    }
  }
  auto file = std::make_shared<NewFile>(path);
  uint64_t bytes = 0;
  for (const auto& [name, array] : tensors) bytes += array.nbytes();
  mx::save_safetensors(
      file, std::move(tensors),
      {{"format", "llm-host-cache"}, {"version", kCacheVersion}, {"model_hash", model_hash}});
  file->finish();
  return {count, bytes};
}

Sequence read_cache(const CacheFile& source, const Model& model, const CacheOptions& options) {
  const std::string& path = source.weights.files.at(0);
  Sequence sequence(model.new_cache(options));
  Contents contents = read_contents(source, sequence.cache.layers());
  int count = static_cast<int>(contents.ids.size());
  if (count > options.max_positions) {
    refuse(path, "holds " + std::to_string(count) + " tokens, the context only " +
                     std::to_string(options.max_positions));
  }
  for (int32_t id : contents.ids) {
    if (id < 0 || id >= model.info().vocab_size) {
      refuse(path, "holds " + std::to_string(id) + ", which is no token id of the model");
    }
  }
  ModelCache like = after_one_token(model, options);
  for (size_t i = 0; i < sequence.cache.layers(); ++i) {
    LayerState state{count, std::move(contents.layers[i])};
    try {
      if (sequence.cache.is_state(i)) check_state(state, like.state_of(i));
      sequence.cache.restore(i, state);
    } catch (const std::invalid_argument& error) {
      refuse(path, "layer " + std::to_string(i) + ": " + error.what());
    }
  }
  mx::eval(sequence.cache.arrays());
  sequence.cache.plan(contents.planned);
  sequence.ids = std::move(contents.ids);
  return sequence;
}

}  // namespace llm_host
