#include "weights/weight_store.h"

#include "engine/error.h"
#include "weights/ggml.h"
#include "weights/quantization.h"

namespace llm_host {
namespace {

std::string text_of(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

void check_shape(const TensorEntry& entry, const std::vector<int64_t>& expected) {
  if (entry.shape == expected) return;
  throw Error(kModelBroken, "tensor " + entry.name + " has shape " + text_of(entry.shape) +
                                ", config.json asks for " + text_of(expected));
}

std::optional<mx::Dtype> float_type(const std::string& name) {
  if (name == "F32") return mx::float32;
  if (name == "F16") return mx::float16;
  if (name == "BF16") return mx::bfloat16;
  return std::nullopt;
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

mx::Shape mlx_shape(const TensorEntry& entry) {
  mx::Shape shape;
  for (int64_t size : entry.shape) shape.push_back(static_cast<int>(size));
  return shape;
}

}  // namespace

WeightStore::Table::Table(const WeightFiles& weights) {
  for (const std::string& path : weights.files) files.emplace_back(path);
  for (const TensorEntry& entry : weights.tensors) {
    if (entry.file >= files.size()) {
      throw Error(kModelBroken, "tensor " + entry.name + " is in file " +
                                    std::to_string(entry.file) + " of " +
                                    std::to_string(files.size()));
    }
    if (!entries.emplace(entry.name, &entry).second) {
      throw Error(kModelBroken, "tensor " + entry.name + " is there twice");
    }
  }
}

WeightStore::WeightStore(const LoadSpec& spec, std::function<void(uint64_t, uint64_t)> progress)
    : spec_(spec), progress_(std::move(progress)), main_(spec.weights) {
  for (const TensorEntry& entry : spec.weights.tensors) total_bytes_ += entry.bytes;
  if (spec.adapter) {
    adapter_.emplace(spec.adapter->weights);
    for (const TensorEntry& entry : spec.adapter->weights.tensors) total_bytes_ += entry.bytes;
  }
  pick_dtype();
}

void WeightStore::pick_dtype() {
  if (mx::default_device() == mx::Device::cpu) return;
  dtype_ = mx::float16;  // the type of ggml's own scales
  for (const char* name : {"model.embed_tokens.weight", "model.embed_tokens.scales"}) {
    auto found = main_.entries.find(name);
    if (found == main_.entries.end()) continue;
    if (auto type = float_type(found->second->dtype)) dtype_ = *type;
  }
}

const TensorEntry& WeightStore::entry(const std::string& name) const {
  auto found = main_.entries.find(name);
  if (found == main_.entries.end()) throw Error(kModelBroken, "the weights have no tensor " + name);
  return *found->second;
}

void WeightStore::read_bytes(const Table& table, const TensorEntry& entry, void* data,
                             uint64_t expected) {
  if (entry.bytes != expected) {
    throw Error(kModelBroken, "tensor " + entry.name + " has " + std::to_string(entry.bytes) +
                                  " bytes, its shape and type need " + std::to_string(expected));
  }
  table.files[entry.file].read(data, entry.bytes, entry.offset, "tensor " + entry.name,
                               [this](uint64_t bytes) {
                                 done_bytes_ += bytes;
                                 progress_(done_bytes_, total_bytes_);
                               });
}

mx::array WeightStore::read(const Table& table, const TensorEntry& entry, mx::Dtype dtype) {
  uint64_t bytes = elements(entry) * mx::size_of(dtype);
  mx::array array(mx::allocator::malloc(bytes), mlx_shape(entry), dtype);
  read_bytes(table, entry, array.data<uint8_t>(), bytes);
  return array;
}

mx::array WeightStore::read_float(const Table& table, const TensorEntry& entry) {
  auto type = float_type(entry.dtype);
  if (!type) {
    throw Error(kModelBroken, "tensor " + entry.name + " has type " + entry.dtype +
                                  ", expected F32, F16 or BF16");
  }
  mx::array array = mx::astype(read(table, entry, *type), dtype_);
  array.eval();
  return keep(array);
}

mx::array WeightStore::keep(mx::array array) {
  bytes_ += array.nbytes();
  return array;
}

mx::array WeightStore::vector(const std::string& name, int size) {
  const TensorEntry& found = entry(name);
  check_shape(found, {size});
  parameters_ += static_cast<uint64_t>(size);
  return read_float(main_, found);
}

WeightStore::Matrix WeightStore::matrix(const std::string& path, int out, int in) {
  const TensorEntry& found = entry(path + ".weight");
  parameters_ += static_cast<uint64_t>(out) * static_cast<uint64_t>(in);
  if (found.dtype == "U32") return read_affine(path, found, out, in);
  check_shape(found, {out, in});
  if (ggml_type(found.dtype) != nullptr) return read_blocks(found);
  return {read_float(main_, found), std::nullopt, std::nullopt};
}

WeightStore::Matrix WeightStore::read_blocks(const TensorEntry& entry) {
  const GgmlType& type = *ggml_type(entry.dtype);
  int out = static_cast<int>(entry.shape[0]), in = static_cast<int>(entry.shape[1]);
  if (in % kGgmlBlock != 0) {
    throw Error(kModelBroken, "tensor " + entry.name + " of type " + entry.dtype + " has rows of " +
                                  std::to_string(in) + ", not a multiple of 32");
  }
  int64_t blocks = static_cast<int64_t>(elements(entry)) / kGgmlBlock;
  std::vector<uint8_t> source(static_cast<size_t>(blocks) * type.block_bytes);
  read_bytes(main_, entry, source.data(), source.size());

  int groups = in / kGgmlBlock;
  mx::Shape words_shape{out, in * type.bits / 32}, groups_shape{out, groups};
  size_t words_bytes = static_cast<size_t>(blocks) * 4 * type.bits;
  size_t groups_bytes = static_cast<size_t>(blocks) * 4;
  mx::array words(mx::allocator::malloc(words_bytes), words_shape, mx::uint32);
  mx::array scales(mx::allocator::malloc(groups_bytes), groups_shape, mx::float32);
  mx::array biases(mx::allocator::malloc(groups_bytes), groups_shape, mx::float32);
  repack_ggml(type, source.data(), blocks, words.data<uint32_t>(), scales.data<float>(),
              biases.data<float>());
  scales = mx::astype(scales, dtype_);
  biases = mx::astype(biases, dtype_);
  mx::eval(scales, biases);
  return {keep(words), keep(scales), keep(biases), kGgmlBlock, type.bits};
}

WeightStore::Matrix WeightStore::read_affine(const std::string& path, const TensorEntry& weight,
                                             int out, int in) {
  Quantization q = quantization_of(Config(spec_.config), path);
  if (in % q.group_size != 0) {
    throw Error(kModelBroken, "tensor " + weight.name + " is quantised in groups of " +
                                  std::to_string(q.group_size) + ", its rows have " +
                                  std::to_string(in));
  }
  const TensorEntry& scales = entry(path + ".scales");
  const TensorEntry& biases = entry(path + ".biases");
  check_shape(weight, {out, static_cast<int64_t>(in) * q.bits / 32});
  check_shape(scales, {out, in / q.group_size});
  check_shape(biases, {out, in / q.group_size});
  mx::array words = keep(read(main_, weight, mx::uint32));
  return {words, read_float(main_, scales), read_float(main_, biases), q.group_size, q.bits};
}

std::optional<std::pair<mx::array, mx::array>> WeightStore::adapter(const std::string& path,
                                                                    int out, int in) {
  if (!adapter_) return std::nullopt;
  auto a = adapter_->entries.find(path + ".lora_a");
  auto b = adapter_->entries.find(path + ".lora_b");
  if (a == adapter_->entries.end() && b == adapter_->entries.end()) return std::nullopt;
  if (a == adapter_->entries.end() || b == adapter_->entries.end()) {
    throw Error(kModelBroken, "the adapter has only one of " + path + ".lora_a and .lora_b");
  }
  int64_t rank = a->second->shape.size() == 2 ? a->second->shape[1] : 0;
  check_shape(*a->second, {in, rank});
  check_shape(*b->second, {rank, out});
  adapter_tensors_used_ += 2;
  mx::array down = read_float(*adapter_, *a->second);
  mx::array up = read_float(*adapter_, *b->second);
  up = mx::multiply(up, mx::array(spec_.adapter->scale, dtype_));
  up.eval();
  return std::pair(down, up);
}

void WeightStore::check_adapter_used() const {
  if (!adapter_ || adapter_tensors_used_ == adapter_->entries.size()) return;
  throw Error(kModelBroken, "the adapter does not fit the model: it has " +
                                std::to_string(adapter_->entries.size()) +
                                " tensors, the model uses " +
                                std::to_string(adapter_tensors_used_));
}

mx::array WeightStore::unpermute(const mx::array& rows, int heads, int head_dim) {
  int columns = static_cast<int>(rows.size() / (static_cast<size_t>(heads) * head_dim));
  mx::array split = mx::reshape(rows, {heads, head_dim / 2, 2, columns});
  mx::array result = mx::contiguous(mx::reshape(mx::transpose(split, {0, 2, 1, 3}), rows.shape()));
  result.eval();
  return result;
}

WeightStore::Matrix WeightStore::unpermute(const Matrix& m, int heads, int head_dim) {
  Matrix result{unpermute(m.weight, heads, head_dim), std::nullopt, std::nullopt, m.group_size,
                m.bits};
  if (m.scales) result.scales = unpermute(*m.scales, heads, head_dim);
  if (m.biases) result.biases = unpermute(*m.biases, heads, head_dim);
  return result;
}

}  // namespace llm_host
