#include "weights/weight_store.h"

#include "engine/error.h"
#include "weights/finite.h"
#include "weights/ggml.h"
#include "weights/quantization.h"

namespace llm_host {
namespace {

std::optional<mx::Dtype> float_type(const std::string& name) {
  if (name == "F32") return mx::float32;
  if (name == "F16") return mx::float16;
  if (name == "BF16") return mx::bfloat16;
  return std::nullopt;
}

mx::Shape mlx_shape(const std::vector<int64_t>& dims) {
  mx::Shape shape;
  for (int64_t size : dims) shape.push_back(static_cast<int>(size));
  return shape;
}

std::vector<int64_t> with(std::vector<int64_t> dims, int64_t last) {
  dims.push_back(last);
  return dims;
}

int64_t first_not_finite(const mx::array& array) {
  if (array.dtype() == mx::float32) {
    return first_not_finite_f32(array.data<uint32_t>(), array.size());
  }
  const uint16_t* halves = array.data<uint16_t>();
  return array.dtype() == mx::float16 ? first_not_finite_f16(halves, array.size())
                                      : first_not_finite_bf16(halves, array.size());
}

[[noreturn]] void refuse_not_finite(const TensorFiles& files, const TensorEntry& entry,
                                    int64_t index) {
  throw Error(kModelBroken, files.name_of(entry) + " has a value that is infinite or no number at " +
                                "element " + std::to_string(index) + "; fetch the file again");
}

bool alike(const Matrix& a, const Matrix& b) {
  return a.bits == b.bits && a.group_size == b.group_size && a.mode == b.mode;
}

// The parts of each matrix brought together by `join`.
template <typename F>
Matrix join_parts(const std::vector<Matrix>& matrices, F&& join) {
  Matrix result = matrices.front();
  std::vector<mx::array> weights, scales, biases;
  for (const Matrix& m : matrices) {
    if (!alike(m, result)) {
      throw Error(kModelUnsupported, "matrices that are used together are quantised differently");
    }
    weights.push_back(m.weight);
    if (m.scales) scales.push_back(*m.scales);
    if (m.biases) biases.push_back(*m.biases);
  }
  result.weight = join(weights);
  if (result.scales) result.scales = join(scales);
  if (result.biases) result.biases = join(biases);
  return result;
}

}  // namespace

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
  for (const char* name : {"model.embed_tokens.weight", "model.embed_tokens.scales"}) {
    const TensorEntry* found = main_.find(name);
    if (found == nullptr) continue;
    if (auto type = float_type(found->dtype)) stored_dtype_ = *type;
  }
  if (mx::default_device() != mx::Device::cpu) dtype_ = stored_dtype_;
}

std::vector<int64_t> WeightStore::shape(const std::string& name) const {
  const TensorEntry* found = main_.find(name);
  return found == nullptr ? std::vector<int64_t>{} : found->shape;
}

const TensorEntry& WeightStore::entry(const std::string& name) {
  const TensorEntry* found = main_.find(name);
  if (found == nullptr) throw Error(kModelBroken, "the weights have no tensor " + name);
  used_.insert(name);
  return *found;
}

std::function<void(uint64_t)> WeightStore::on_chunk() {
  return [this](uint64_t bytes) {
    done_bytes_ += bytes;
    progress_(done_bytes_, total_bytes_);
  };
}

mx::array WeightStore::read(const TensorFiles& files, const TensorEntry& entry, mx::Dtype dtype) {
  uint64_t bytes = elements(entry) * mx::size_of(dtype);
  check_bytes(entry, bytes);
  mx::array array(mx::allocator::malloc(bytes), mlx_shape(entry.shape), dtype);
  files.read(entry, array.data<uint8_t>(), bytes, 0, on_chunk());
  return array;
}

mx::array WeightStore::read_stored_float(const TensorFiles& files, const TensorEntry& entry) {
  auto type = float_type(entry.dtype);
  if (!type) {
    throw Error(kModelBroken, "tensor " + entry.name + " has type " + entry.dtype +
                                  ", expected F32, F16 or BF16");
  }
  mx::array array = read(files, entry, *type);
  int64_t bad = first_not_finite(array);
  if (bad >= 0) refuse_not_finite(files, entry, bad);
  return array;
}

mx::array WeightStore::read_float(const TensorFiles& files, const TensorEntry& entry) {
  mx::array array = mx::astype(read_stored_float(files, entry), dtype_);
  array.eval();
  return keep(array);
}

mx::array WeightStore::keep(mx::array array) {
  bytes_ += array.nbytes();
  return array;
}

mx::array WeightStore::tensor(const std::string& name, const std::vector<int64_t>& shape) {
  const TensorEntry& found = entry(name);
  check_shape(found, shape);
  parameters_ += elements(found);
  return read_float(main_, found);
}

Matrix WeightStore::matrix(const std::string& path, int out, int in) {
  const TensorEntry& found = entry(path + ".weight");
  if (ggml_type(found.dtype) == nullptr) return read_matrix(path, found, {out}, in);
  check_shape(found, {out, in});
  parameters_ += elements(found);
  return read_blocks(found);
}

Matrix WeightStore::experts(const std::string& path, int experts, int out, int in) {
  return read_matrix(path, entry(has(path + ".weight") ? path + ".weight" : path), {experts, out},
                     in);
}

Matrix WeightStore::read_matrix(const std::string& path, const TensorEntry& weight,
                                const std::vector<int64_t>& dims, int in) {
  uint64_t count = static_cast<uint64_t>(in);
  for (int64_t size : dims) count *= static_cast<uint64_t>(size);
  parameters_ += count;
  if (weight.dtype == "U32") return read_packed(path, weight, dims, in);
  check_shape(weight, with(dims, in));
  return dense(read_float(main_, weight));
}

Matrix WeightStore::dense(mx::array weight) const {
  return {std::move(weight), std::nullopt, std::nullopt, 0, 0, "affine", dtype_};
}

Matrix WeightStore::transposed_experts(const std::string& name, int experts, int out, int in) {
  mx::array stored = tensor(name, {experts, in, out});
  mx::array turned = mx::contiguous(mx::swapaxes(stored, 1, 2));
  turned.eval();
  return dense(turned);
}

Matrix WeightStore::mxfp4_experts(const std::string& path, int experts, int out, int in) {
  const TensorEntry& blocks = entry(path + "_blocks");
  const TensorEntry& scales = entry(path + "_scales");
  for (const TensorEntry* part : {&blocks, &scales}) {
    if (part->dtype == "U8") continue;
    throw Error(kModelBroken,
                "tensor " + part->name + " has type " + part->dtype + ", expected U8");
  }
  check_shape(blocks, {experts, out, in / 32, 16});
  check_shape(scales, {experts, out, in / 32});
  parameters_ += elements(blocks) * 2;
  mx::array words = mx::view(read(main_, blocks, mx::uint8), mx::uint32);
  words = mx::reshape(words, {experts, out, in / 8});
  words.eval();
  return {keep(words), keep(read_byte_scales(scales, "mxfp4")), std::nullopt, 32, 4, "mxfp4",
          dtype_};
}

Matrix WeightStore::read_blocks(const TensorEntry& entry) {
  const GgmlType& type = *ggml_type(entry.dtype);
  int out = static_cast<int>(entry.shape[0]), in = static_cast<int>(entry.shape[1]);
  if (in % kGgmlBlock != 0) {
    throw Error(kModelBroken, "tensor " + entry.name + " of type " + entry.dtype + " has rows of " +
                                  std::to_string(in) + ", not a multiple of 32");
  }
  int64_t blocks = static_cast<int64_t>(elements(entry)) / kGgmlBlock;
  std::vector<uint8_t> source(static_cast<size_t>(blocks) * type.block_bytes);
  check_bytes(entry, source.size());
  main_.read(entry, source.data(), source.size(), 0, on_chunk());

  int groups = in / kGgmlBlock;
  mx::Shape words_shape{out, in * type.bits / 32}, groups_shape{out, groups};
  size_t words_bytes = static_cast<size_t>(blocks) * 4 * type.bits;
  size_t groups_bytes = static_cast<size_t>(blocks) * 4;
  mx::array words(mx::allocator::malloc(words_bytes), words_shape, mx::uint32);
  mx::array scales(mx::allocator::malloc(groups_bytes), groups_shape, mx::float32);
  mx::array biases(mx::allocator::malloc(groups_bytes), groups_shape, mx::float32);
  repack_ggml(type, source.data(), blocks, words.data<uint32_t>(), scales.data<float>(),
              biases.data<float>());
  for (const mx::array* part : {&scales, &biases}) {
    int64_t bad = first_not_finite(*part);
    if (bad >= 0) refuse_not_finite(main_, entry, bad * kGgmlBlock);
  }
  scales = mx::astype(scales, dtype_);
  biases = mx::astype(biases, dtype_);
  mx::eval(scales, biases);
  return {keep(words), keep(scales), keep(biases), kGgmlBlock, type.bits, "affine", dtype_};
}

Matrix WeightStore::read_packed(const std::string& path, const TensorEntry& weight,
                                const std::vector<int64_t>& dims, int in) {
  const TensorEntry& scales = entry(path + ".scales");
  bool same_rank =
      weight.shape.size() == dims.size() + 1 && scales.shape.size() == dims.size() + 1;
  int64_t words = same_rank ? weight.shape.back() : 0, groups = same_rank ? scales.shape.back() : 0;
  bool byte_scales = scales.dtype == "U8";
  Quantization q = quantization_of(Config(spec_.config), path, in, words, groups, byte_scales);
  check_shape(weight, with(dims, words));
  check_shape(scales, with(dims, groups));
  mx::array packed = keep(read(main_, weight, mx::uint32));
  if (byte_scales) {
    mx::array bytes = keep(read_byte_scales(scales, q.mode));
    return {packed, bytes, std::nullopt, q.group_size, q.bits, q.mode, dtype_};
  }
  const TensorEntry& biases = entry(path + ".biases");
  check_shape(biases, with(dims, groups));
  mx::array floats = read_float(main_, scales);
  return {packed, floats, read_float(main_, biases), q.group_size, q.bits, q.mode, dtype_};
}

mx::array WeightStore::read_byte_scales(const TensorEntry& entry, const std::string& mode) {
  mx::array scales = read(main_, entry, mx::uint8);
  int64_t bad = mode == "nvfp4" ? first_not_finite_e4m3(scales.data<uint8_t>(), scales.size())
                                : first_not_finite_e8m0(scales.data<uint8_t>(), scales.size());
  if (bad >= 0) refuse_not_finite(main_, entry, bad);
  return scales;
}

Matrix WeightStore::concatenate(const std::vector<Matrix>& parts) {
  return join_parts(parts, [](const std::vector<mx::array>& arrays) {
    mx::array joined = mx::concatenate(arrays, -2);
    joined.eval();
    return joined;
  });
}

Matrix WeightStore::stack(const std::vector<Matrix>& parts) {
  return join_parts(parts, [](const std::vector<mx::array>& arrays) {
    mx::array stacked = mx::stack(arrays, 0);
    stacked.eval();
    return stacked;
  });
}

std::optional<std::pair<mx::array, mx::array>> WeightStore::adapter(const std::string& path,
                                                                    int out, int in) {
  if (!adapter_) return std::nullopt;
  const TensorEntry* a = adapter_->find(path + ".lora_a");
  const TensorEntry* b = adapter_->find(path + ".lora_b");
  if (a == nullptr && b == nullptr) return std::nullopt;
  if (a == nullptr || b == nullptr) {
    throw Error(kModelBroken, "the adapter has only one of " + path + ".lora_a and .lora_b");
  }
  int64_t rank = a->shape.size() == 2 ? a->shape[1] : 0;
  check_shape(*a, {in, rank});
  check_shape(*b, {rank, out});
  adapter_tensors_used_ += 2;
  mx::array down = read_float(*adapter_, *a);
  mx::array up = read_float(*adapter_, *b);
  up = mx::multiply(up, mx::array(spec_.adapter->scale, dtype_));
  up.eval();
  return std::pair(down, up);
}

void WeightStore::check_all_used() const {
  std::vector<std::string> extra;
  for (const auto& [name, entry] : main_.entries()) {
    bool known = used_.contains(name) || left_out_.contains(name.substr(0, name.rfind('.'))) ||
                 // Frequencies that older checkpoints store and every implementation computes.
                 name.ends_with(".rotary_emb.inv_freq");
    if (!known) extra.push_back(name);
  }
  if (!extra.empty()) {
    std::string more = extra.size() == 1 ? "" : " and " + std::to_string(extra.size() - 1) + " more";
    throw Error(kModelBroken, "the weights have tensor " + extra.front() + more +
                                  ", which a model of this config.json does not use");
  }
  check_adapter_used();
}

void WeightStore::check_adapter_used() const {
  if (!adapter_ || adapter_tensors_used_ == adapter_->entries().size()) return;
  throw Error(kModelBroken, "the adapter does not fit the model: it has " +
                                std::to_string(adapter_->entries().size()) +
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

Matrix WeightStore::unpermute(const Matrix& m, int heads, int head_dim) {
  Matrix result = m;
  result.weight = unpermute(m.weight, heads, head_dim);
  if (m.scales) result.scales = unpermute(*m.scales, heads, head_dim);
  if (m.biases) result.biases = unpermute(*m.biases, heads, head_dim);
  return result;
}

}  // namespace llm_host
