#include "weights/weight_store.h"

#include <algorithm>

#include "common/error.h"
#include "kernels/packed/linear.h"
#include "weights/ggml.h"
#include "weights/quantize.h"
#include "weights/transpose.h"

namespace llm_host {
namespace {

// Bytes of floats that are in memory while they are quantized.
constexpr int64_t kQuantizeBytes = 16 << 20;

std::vector<int64_t> with(std::vector<int64_t> dims, int64_t last) {
  dims.push_back(last);
  return dims;
}

int64_t product(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t size : dims) count *= size;
  return count;
}

mx::Shape mlx_shape(const std::vector<int64_t>& dims) {
  mx::Shape shape;
  for (int64_t size : dims) shape.push_back(static_cast<int>(size));
  return shape;
}

mx::array allocate(const std::vector<int64_t>& dims, mx::Dtype type) {
  size_t bytes = static_cast<size_t>(product(dims)) * mx::size_of(type);
  return mx::array(mx::allocator::malloc(bytes), mlx_shape(dims), type);
}

FloatType float_kind(mx::Dtype type) {
  if (type == mx::float32) return FloatType::kF32;
  return type == mx::float16 ? FloatType::kF16 : FloatType::kBF16;
}

const char* stored_name(mx::Dtype type) {
  if (type == mx::float32) return "F32";
  if (type == mx::float16) return "F16";
  return type == mx::bfloat16 ? "BF16" : type == mx::uint32 ? "U32" : "U8";
}

// A bound for the header of a new checkpoint: three tensors for each one, with their descriptions.
uint64_t header_bound(const WeightFiles& weights) {
  uint64_t bytes = 100;
  for (const TensorEntry& entry : weights.tensors) bytes += 3 * (2 * entry.name.size() + 160);
  return bytes;
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
    : spec_(spec),
      progress_{std::move(progress)},
      main_(spec.weights, progress_),
      adapters_(spec.adapters, progress_) {
  if (cpu::packs_weights(spec.exact)) arena_.emplace();
  if (spec.quantize) {
    quantize_ = Quantization{spec.quantize->group_size, spec.quantize->bits, spec.quantize->mode};
    check_quantization(*quantize_, "quantizing while loading");
  }
  if (!spec.save_to.empty()) {
    writer_ = std::make_unique<CheckpointWriter>(spec.save_to, header_bound(spec.weights));
  }
  pick_dtype();
}

const char* WeightStore::layout(bool exact) {
  if (mx::default_device() != mx::Device::cpu) return "stored";
  return cpu::packs_weights(exact) ? "packed" : "float32";
}

void WeightStore::pick_dtype() {
  for (const char* name : {"model.embed_tokens.weight", "model.embed_tokens.scales"}) {
    const TensorEntry* found = main_.files().find(name);
    if (found == nullptr) continue;
    if (auto type = float_type(found->dtype)) stored_dtype_ = *type;
  }
  if (mx::default_device() != mx::Device::cpu) dtype_ = stored_dtype_;
}

std::vector<int64_t> WeightStore::shape(const std::string& name) const {
  const TensorEntry* found = main_.files().find(name);
  return found == nullptr ? std::vector<int64_t>{} : found->shape;
}

mx::array WeightStore::keep(mx::array array) {
  bytes_ += array.nbytes();
  return array;
}

void WeightStore::drop(const Matrix& matrix) {
  bytes_ -= matrix.weight.nbytes();
  if (matrix.scales) bytes_ -= matrix.scales->nbytes();
  if (matrix.biases) bytes_ -= matrix.biases->nbytes();
}

void WeightStore::save(const std::string& name, const char* dtype, const mx::array& array) {
  if (!writer_) return;
  std::vector<int64_t> shape(array.shape().begin(), array.shape().end());
  writer_->add(name, dtype, shape, array.data<uint8_t>(), array.nbytes());
}

mx::array WeightStore::read_float(const TensorEntry& entry) {
  mx::array stored = main_.read_float(entry);
  save(entry.name, stored_name(stored.dtype()), stored);
  mx::array array = mx::astype(stored, dtype_);
  array.eval();
  return keep(array);
}

mx::array WeightStore::tensor(const std::string& name, const std::vector<int64_t>& shape) {
  const TensorEntry& found = main_.entry(name);
  main_.files().check_shape(found, shape);
  parameters_ += elements(found);
  mx::array array = read_float(found);
  if (spec_.norm_shift == 0 || !name.ends_with("norm.weight")) return array;
  array = mx::add(array, mx::array(spec_.norm_shift, dtype_));
  array.eval();
  return array;
}

Matrix WeightStore::matrix(const std::string& path, int out, int in, bool as_stored) {
  const TensorEntry& found = main_.entry(path + ".weight");
  if (ggml_type(found.dtype) == nullptr) {
    return read_matrix(path, found, {out}, in, true, as_stored);
  }
  main_.files().check_shape(found, {out, in});
  parameters_ += elements(found);
  return read_blocks(found);
}

Matrix WeightStore::router(const std::string& path, int out, int in) {
  return read_matrix(path, main_.entry(path + ".weight"), {out}, in, false);
}

Matrix WeightStore::experts(const std::string& path, int experts, int out, int in) {
  std::string name = has(path + ".weight") ? path + ".weight" : path;
  return read_matrix(path, main_.entry(name), {experts, out}, in, true);
}

Matrix WeightStore::read_matrix(const std::string& path, const TensorEntry& weight,
                                const std::vector<int64_t>& dims, int in, bool may_quantize,
                                bool as_stored) {
  parameters_ += static_cast<uint64_t>(product(dims)) * static_cast<uint64_t>(in);
  if (weight.dtype == "U32") return read_packed(path, weight, dims, in);
  main_.files().check_shape(weight, with(dims, in));
  if (may_quantize && quantizable(weight, in)) {
    return read_quantized(path, weight, dims, in, Rows::kAsStored);
  }
  if (!as_stored) return dense(read_float(weight));
  mx::array stored = main_.read_float(weight);
  save(weight.name, stored_name(stored.dtype()), stored);
  return dense(keep(stored));
}

bool WeightStore::quantizable(const TensorEntry& weight, int in) const {
  return quantize_ && float_type(weight.dtype) && in % quantize_->group_size == 0;
}

Matrix WeightStore::dense(mx::array weight) const {
  return {std::move(weight), std::nullopt, std::nullopt, 0, 0, "affine", dtype_};
}

Matrix WeightStore::transposed_experts(const std::string& name, int experts, int out, int in) {
  const TensorEntry& found = main_.entry(name);
  if (quantizable(found, in)) {
    main_.files().check_shape(found, {experts, in, out});
    parameters_ += elements(found);
    return read_quantized(name, found, {experts, out}, in, Rows::kTurned);
  }
  mx::array turned = mx::contiguous(mx::swapaxes(tensor(name, {experts, in, out}), 1, 2));
  turned.eval();
  return dense(turned);
}

Matrix WeightStore::mxfp4_experts(const std::string& path, int experts, int out, int in) {
  const TensorEntry& blocks = main_.entry(path + "_blocks");
  const TensorEntry& scales = main_.entry(path + "_scales");
  for (const TensorEntry* part : {&blocks, &scales}) {
    if (part->dtype == "U8") continue;
    throw Error(kModelBroken,
                main_.files().name_of(*part) + " has type " + part->dtype + ", expected U8");
  }
  main_.files().check_shape(blocks, {experts, out, in / 32, 16});
  main_.files().check_shape(scales, {experts, out, in / 32});
  parameters_ += elements(blocks) * 2;
  mx::array stored = main_.read(blocks, mx::uint8);
  mx::array exponents = main_.read_byte_scales(scales, "mxfp4");
  save(blocks.name, "U8", stored);
  save(scales.name, "U8", exponents);
  mx::array words = mx::reshape(mx::view(stored, mx::uint32), {experts, out, in / 8});
  words.eval();
  return {keep(words), keep(exponents), std::nullopt, 32, 4, "mxfp4", dtype_};
}

Matrix WeightStore::read_blocks(const TensorEntry& entry) {
  const GgmlType& type = *ggml_type(entry.dtype);
  int out = static_cast<int>(entry.shape[0]), in = static_cast<int>(entry.shape[1]);
  if (in % type.block != 0) {
    throw Error(kModelBroken, main_.files().name_of(entry) + " of type " + entry.dtype +
                                  " has rows of " + std::to_string(in) + ", not a multiple of " +
                                  std::to_string(type.block));
  }
  int64_t blocks = static_cast<int64_t>(elements(entry)) / type.block;
  size_t bytes = static_cast<size_t>(blocks) * type.block_bytes;
  main_.files().check_bytes(entry, bytes);
  std::vector<uint8_t> source(bytes);
  main_.read_bytes(entry, source.data(), source.size(), 0);

  mx::array words = allocate({out, in * type.bits / 32}, mx::uint32);
  mx::array scales = allocate({out, in / kGgmlGroup}, mx::float32);
  mx::array biases = allocate({out, in / kGgmlGroup}, mx::float32);
  repack_ggml(type, source.data(), blocks, words.data<uint32_t>(), scales.data<float>(),
              biases.data<float>());
  main_.check_finite(entry, mx::float32, scales.data<float>(), scales.size(), 0);
  main_.check_finite(entry, mx::float32, biases.data<float>(), biases.size(), 0);
  scales = mx::astype(scales, dtype_);
  biases = mx::astype(biases, dtype_);
  mx::eval(scales, biases);
  return {keep(words), keep(scales), keep(biases), kGgmlGroup, type.bits, "affine", dtype_};
}

Matrix WeightStore::read_packed(const std::string& path, const TensorEntry& weight,
                                const std::vector<int64_t>& dims, int in) {
  const TensorEntry& scales = main_.entry(path + ".scales");
  bool same_rank = weight.shape.size() == dims.size() + 1 && scales.shape.size() == dims.size() + 1;
  int64_t words = same_rank ? weight.shape.back() : 0, groups = same_rank ? scales.shape.back() : 0;
  bool byte_scales = scales.dtype == "U8";
  Quantization q = quantization_of(Config(spec_.config), path, main_.files().name_of(weight), in,
                                   words, groups, byte_scales);
  main_.files().check_shape(weight, with(dims, words));
  main_.files().check_shape(scales, with(dims, groups));
  mx::array packed = keep(main_.read(weight, mx::uint32));
  save(weight.name, "U32", packed);
  if (byte_scales) {
    mx::array bytes = keep(main_.read_byte_scales(scales, q.mode));
    save(scales.name, "U8", bytes);
    return {packed, bytes, std::nullopt, q.group_size, q.bits, q.mode, dtype_};
  }
  const TensorEntry& biases = main_.entry(path + ".biases");
  main_.files().check_shape(biases, with(dims, groups));
  mx::array floats = read_float(scales);
  return {packed, floats, read_float(biases), q.group_size, q.bits, q.mode, dtype_};
}

Matrix WeightStore::read_quantized(const std::string& path, const TensorEntry& entry,
                                   const std::vector<int64_t>& dims, int in, Rows order) {
  auto type = float_type(entry.dtype);
  const Quantization& q = *quantize_;
  bool affine = q.mode == "affine";
  // Before anything is multiplied that a broken header could make overflow.
  main_.files().check_bytes(entry, elements(entry) * mx::size_of(*type));
  int groups = in / q.group_size;
  int64_t rows = product(dims), row_bytes = int64_t{in} * mx::size_of(*type);
  mx::array words = allocate(with(dims, int64_t{in} * q.bits / 32), mx::uint32);
  mx::array scales = allocate(with(dims, groups), affine ? mx::float32 : mx::uint8);
  mx::array biases = allocate(affine ? with(dims, groups) : std::vector<int64_t>{0}, mx::float32);

  bool stored_turned = order == Rows::kTurned;
  int64_t step = std::clamp<int64_t>(kQuantizeBytes / row_bytes, 1, rows);
  if (stored_turned) step = dims.back();
  std::vector<uint8_t> source(static_cast<size_t>(step * row_bytes));
  for (int64_t begin = 0; begin < rows; begin += step) {
    int64_t count = std::min(step, rows - begin);
    main_.read_bytes(entry, source.data(), static_cast<uint64_t>(count * row_bytes),
                     static_cast<uint64_t>(begin * row_bytes));
    main_.check_finite(entry, *type, source.data(), static_cast<size_t>(count * in),
                       static_cast<uint64_t>(begin * in));
    if (stored_turned) source = transposed(source, mx::size_of(*type), in, count);
    PackedRows out{words.data<uint8_t>() + begin * in * q.bits / 8, nullptr, nullptr, nullptr};
    if (affine) {
      out.scales = scales.data<float>() + begin * groups;
      out.biases = biases.data<float>() + begin * groups;
    } else {
      out.byte_scales = scales.data<uint8_t>() + begin * groups;
    }
    quantize_rows(q, float_kind(*type), source.data(), count, in, out);
  }
  save(path + ".weight", "U32", words);
  Matrix result{keep(words), std::nullopt, std::nullopt, q.group_size, q.bits, q.mode, dtype_};
  // The parts of a group are rounded to the type of the source, and kept in that of activations.
  auto part = [&](const char* name, const mx::array& values) {
    mx::array stored = affine ? mx::astype(values, *type) : values;
    stored.eval();
    save(path + name, stored_name(stored.dtype()), stored);
    mx::array used = affine ? mx::astype(values, dtype_) : values;
    used.eval();
    return keep(used);
  };
  result.scales = part(".scales", scales);
  if (affine) result.biases = part(".biases", biases);
  return result;
}

bool WeightStore::ignored(const std::string& name) const {
  // Frequencies that older checkpoints store and every implementation computes.
  if (name.ends_with(".rotary_emb.inv_freq")) return true;
  for (const std::string& prefix : ignored_) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

void WeightStore::finish() {
  for (const std::string& name : main_.unused()) {
    if (ignored(name)) continue;
    const TensorEntry& entry = *main_.files().find(name);
    throw Error(kModelBroken, main_.files().name_of(entry) + " has no place in a model of type \"" +
                                  Config(spec_.config).string_or("model_type", "?") +
                                  "\": is config.json that of these weights?");
  }
  adapters_.check_used();
  if (writer_) writer_->finish();
}

void WeightStore::check_alike(const std::string& what, const std::vector<Matrix>& parts) const {
  for (const Matrix& part : parts) {
    if (alike(part, parts.front())) continue;
    throw Error(kModelUnsupported, what + " are quantized differently, which is not supported" +
                                       where() + "; supported: all alike");
  }
}

Matrix WeightStore::concatenate(const std::string& what, const std::vector<Matrix>& parts) const {
  check_alike(what, parts);
  return join_parts(parts, [](const std::vector<mx::array>& arrays) {
    mx::array joined = mx::concatenate(arrays, -2);
    joined.eval();
    return joined;
  });
}

Matrix WeightStore::stack(const std::string& what, const std::vector<Matrix>& parts) const {
  check_alike(what, parts);
  return join_parts(parts, [](const std::vector<mx::array>& arrays) {
    mx::array stacked = mx::stack(arrays, 0);
    stacked.eval();
    return stacked;
  });
}

}  // namespace llm_host
