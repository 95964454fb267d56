#include "engine/cache/cache_file.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "common/error.h"
#include "engine/cache/atomic_file.h"
#include "engine/cache/checksum.h"
#include "mlx/mlx.h"
#include "weights/files/dtypes.h"
#include "weights/files/file.h"
#include "weights/files/tensor_reader.h"

namespace llm_host {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(kCache, path + ": " + what);
}

mx::array read_tensor(const File& file, const TensorEntry& entry, uint64_t& sum) {
  std::optional<mx::Dtype> known = dtype_of(entry.dtype);
  if (!known || *known == mx::uint8)
    refuse(file.path(), "tensor " + entry.name + " has type " + entry.dtype);
  mx::Dtype dtype = *known;
  mx::Shape shape;
  uint64_t bytes = dtype.size();
  for (int64_t size : entry.shape) {
    shape.push_back(static_cast<int>(size));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) bytes = 0;
  }
  if (bytes == 0 || bytes != entry.bytes) {
    refuse(file.path(), "tensor " + entry.name + " has " + std::to_string(entry.bytes) + " bytes");
  }
  file.check_range(bytes, entry.offset, "tensor " + entry.name);
  mx::array array(mx::allocator::malloc(bytes), std::move(shape), dtype);
  file.read(array.data<uint8_t>(), bytes, entry.offset, "tensor " + entry.name, [](uint64_t) {});
  // A single NaN spreads to every later value, and the weights would be blamed.
  bool floats = mx::issubdtype(dtype, mx::floating);
  if (floats && first_not_finite(dtype, array.data<uint8_t>(), array.size()) >= 0) {
    refuse(file.path(), "tensor " + entry.name + " has a value that is infinite or not a number");
  }
  sum += checksum(entry.name, array);
  return array;
}

std::string digits_of(uint64_t sum) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, sum);
  return text.data();
}

struct Contents {
  std::vector<int32_t> ids;
  int planned = 0;
  bool reproducible = false;
  bool adapted = true;
  uint64_t checksum = 0;
  std::map<size_t, std::map<std::string, mx::array>> layers;
};

std::vector<int32_t> read_integers(const File& file, const TensorEntry& entry, uint64_t& sum) {
  mx::array values = read_tensor(file, entry, sum);
  if (values.ndim() != 1 || values.dtype() != mx::int32) {
    refuse(file.path(), "tensor " + entry.name + " must be a list of int32");
  }
  return {values.data<int32_t>(), values.data<int32_t>() + values.size()};
}

Contents read_contents(const CacheFile& source, size_t layers) {
  File file(source.path());
  Contents contents;
  uint64_t& sum = contents.checksum;
  for (const TensorEntry& entry : source.weights.tensors) {
    if (entry.name == "ids") {
      contents.ids = read_integers(file, entry, sum);
      continue;
    }
    if (entry.name == "planned") {
      contents.planned = read_integers(file, entry, sum).front();
      continue;
    }
    if (entry.name == "reproducible") {
      contents.reproducible = read_integers(file, entry, sum).front() == 1;
      continue;
    }
    if (entry.name == "adapted") {
      contents.adapted = read_integers(file, entry, sum).front() == 1;
      continue;
    }
    size_t layer = 0;
    int at = 0;
    bool named = std::sscanf(entry.name.c_str(), "layers.%9zu.%n", &layer, &at) == 1 && at > 0;
    if (!named || layer >= layers) {
      refuse(file.path(), "has tensor " + entry.name + ", which this model does not use");
    }
    contents.layers[layer].emplace(entry.name.substr(static_cast<size_t>(at)),
                                   read_tensor(file, entry, sum));
  }
  if (contents.ids.empty()) refuse(file.path(), "holds no token ids");
  if (contents.planned < 1)
    refuse(file.path(), "does not say which length its positions were made for");
  return contents;
}

// A cache after one token, for the shapes of its states: the graph is built but not computed.
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

SavedCache write_cache(const Sequence& sequence, int length, const CacheTarget& target) {
  const std::string& path = target.path;
  if (length < 1) refuse(path, "there is nothing to save: the cache holds no tokens");
  if (sequence.ids.size() != static_cast<size_t>(sequence.cache.length())) {
    throw std::logic_error("a cache of other tokens");
  }
  std::unordered_map<std::string, mx::array> tensors;
  tensors.emplace("ids", mx::array(sequence.ids.begin(), {length}, mx::int32));
  tensors.emplace("planned", mx::array({sequence.cache.planned()}, {1}, mx::int32));
  int reproducible = sequence.reproducible() ? 1 : 0, adapted = sequence.adapted() ? 1 : 0;
  tensors.emplace("reproducible", mx::array({reproducible}, {1}, mx::int32));
  tensors.emplace("adapted", mx::array({adapted}, {1}, mx::int32));
  for (size_t i = 0; i < sequence.cache.layers(); ++i) {
    for (const auto& [name, array] : sequence.state_of(i, length).arrays) {
      tensors.emplace("layers." + std::to_string(i) + "." + name, mx::contiguous(array));
    }
  }
  uint64_t bytes = 0, sum = 0;
  for (const auto& [name, array] : tensors) bytes += array.nbytes();
  // Before a file is begun, and before the copies are made.
  if (bytes > target.max_bytes) {
    refuse(path, "takes " + std::to_string(bytes) + " bytes, " + std::to_string(target.max_bytes) +
                     " are allowed");
  }
  for (auto& [name, array] : tensors) {
    mx::eval(array);
    sum += checksum(name, array);
  }
  auto file = std::make_shared<AtomicFile>(path);
  mx::save_safetensors(file, std::move(tensors),
                       {{"format", "llm-host-cache"},
                        {"version", kCacheVersion},
                        {"model_hash", target.model_hash},
                        {"checksum", digits_of(sum)}});
  file->finish(target.durable);
  return {length, bytes};
}

Sequence read_cache(const CacheFile& source, const Model& model, const CacheOptions& options) {
  const std::string& path = source.path();
  Sequence sequence(model.new_cache(options));
  Contents contents = read_contents(source, sequence.cache.layers());
  int count = static_cast<int>(contents.ids.size());
  if (count > options.max_positions) {
    refuse(path, "holds " + std::to_string(count) + " tokens, the context only " +
                     std::to_string(options.max_positions));
  }
  for (int32_t id : contents.ids) {
    if (id < 0 || id >= model.info().vocab_size) {
      refuse(path, "holds " + std::to_string(id) + ", which is not a token id of the model");
    }
  }
  sequence.begin(contents.reproducible, {false, contents.adapted});
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
  if (digits_of(contents.checksum) != source.checksum) refuse(path, "is damaged: its sums differ");
  mx::eval(sequence.cache.arrays());
  sequence.cache.plan(contents.planned);
  sequence.ids = std::move(contents.ids);
  // Other conversations may begin with the same tokens.
  sequence.checkpoint();
  return sequence;
}

}  // namespace llm_host
