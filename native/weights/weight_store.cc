#include "weights/weight_store.h"

#include "common/device_policy.h"
#include "common/error.h"
#include "kernels/packed/linear.h"
#include "weights/files/dims.h"
#include "weights/files/dtypes.h"
#include "weights/ggml/ggml.h"
#include "weights/ggml_tensor.h"

namespace llm_host {

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
    writer_ = std::make_unique<CheckpointWriter>(spec.save_to, spec.weights);
  }
  pick_dtype();
}

const char* WeightStore::layout(bool exact) {
  if (cpu::packs_weights(exact)) return "packed";
  return DevicePolicy::get().gpu() && !exact ? "stored" : "float32";
}

void WeightStore::pick_dtype() {
  // Scales of MLX's floating-point modes are bytes: then a norm tells.
  for (const char* name :
       {"model.embed_tokens.weight", "model.embed_tokens.scales", "model.norm.weight",
        "embeddings.word_embeddings.weight", "bert.embeddings.word_embeddings.weight",
        "roberta.embeddings.word_embeddings.weight"}) {
    const TensorEntry* found = main_.files().find(name);
    if (found == nullptr) continue;
    if (ggml_type(found->dtype) != nullptr) break;
    if (std::optional<mx::Dtype> type = float_dtype_of(found->dtype)) {
      stored_dtype_ = *type;
      break;
    }
  }
  dtype_ = DevicePolicy::get().dtype(stored_dtype_, spec_.exact);
}

std::vector<int64_t> WeightStore::shape(const std::string& name) const {
  const TensorEntry* found = main_.files().find(name);
  return found == nullptr ? std::vector<int64_t>{} : found->shape;
}

mx::array WeightStore::keep(mx::array array) {
  bytes_ += array.nbytes();
  return array;
}

mx::array WeightStore::keep_as_used(const mx::array& array) {
  mx::array used = mx::astype(array, dtype_);
  used.eval();
  return keep(used);
}

void WeightStore::drop(const Matrix& matrix) {
  bytes_ -= matrix.weight.nbytes();
  if (matrix.scales) bytes_ -= matrix.scales->nbytes();
  if (matrix.biases) bytes_ -= matrix.biases->nbytes();
}

void WeightStore::save(const std::string& name, const mx::array& array) {
  if (!writer_) return;
  std::vector<int64_t> shape(array.shape().begin(), array.shape().end());
  writer_->add(name, name_of(array.dtype()), shape, array.data<uint8_t>(), array.nbytes());
}

mx::array WeightStore::read_float(const TensorEntry& entry) {
  mx::array stored = main_.read_float(entry);
  save(entry.name, stored);
  return keep_as_used(stored);
}

mx::array WeightStore::read_stored(const TensorEntry& entry) {
  mx::array stored = main_.read_float(entry);
  save(entry.name, stored);
  return keep(stored);
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
  return read_blocks(found);
}

Matrix WeightStore::read_blocks(const TensorEntry& entry) {
  parameters_ += elements(entry);
  Matrix m = read_ggml_tensor(main_, entry);
  m.weight = keep(m.weight);
  m.scales = m.biases ? keep_as_used(*m.scales) : keep(*m.scales);
  if (m.biases) m.biases = keep_as_used(*m.biases);
  m.dtype = dtype_;
  return m;
}

std::optional<cpu::Packed> WeightStore::packed_matrix(const std::string& path, int out, int in,
                                                      int head_dim) {
  if (!packed()) return std::nullopt;
  const TensorEntry& found = main_.entry(path + ".weight");
  std::optional<cpu::Packed> packed;
  if (ggml_type(found.dtype) != nullptr) {
    main_.files().check_shape(found, {out, in});
    const TensorEntry* one = &found;
    packed = pack_ggml_tensors(main_, {&one, 1}, {1, out, in}, arena(), head_dim);
  } else if (packs_while_reading() && head_dim == 0) {
    MlxTensor tensor = mlx_tensor(path, found, {out}, in);
    packed = pack_mlx_tensors(main_, {&tensor, 1}, {1, out, in}, arena());
  }
  if (packed) parameters_ += static_cast<uint64_t>(out) * static_cast<uint64_t>(in);
  return packed;
}

std::optional<cpu::Packed> WeightStore::packed_experts(const std::vector<std::string>& paths,
                                                       int experts, int out, int in) {
  if (!packs_while_reading()) return std::nullopt;
  std::vector<MlxTensor> stacks;
  std::vector<const TensorEntry*> blocks;
  for (const std::string& path : paths) {
    const TensorEntry& found = main_.entry(experts_name(path));
    if (ggml_type(found.dtype) != nullptr) {
      main_.files().check_shape(found, {experts, out, in});
      blocks.push_back(&found);
    } else {
      stacks.push_back(mlx_tensor(path, found, {experts, out}, in));
    }
  }
  if (!blocks.empty() && !stacks.empty()) return std::nullopt;
  std::optional<cpu::Packed> packed =
      blocks.empty() ? pack_mlx_tensors(main_, stacks, {experts, out, in}, arena())
                     : pack_ggml_tensors(main_, blocks, {experts, out, in}, arena(), 0);
  if (packed) {
    parameters_ += paths.size() * static_cast<uint64_t>(experts) * static_cast<uint64_t>(out) *
                   static_cast<uint64_t>(in);
  }
  return packed;
}

Matrix WeightStore::router(const std::string& path, int out, int in) {
  return read_matrix(path, main_.entry(path + ".weight"), {out}, in, false);
}

Matrix WeightStore::experts(const std::string& path, int experts, int out, int in, bool as_stored) {
  const TensorEntry& found = main_.entry(experts_name(path));
  if (ggml_type(found.dtype) != nullptr) {
    main_.files().check_shape(found, {experts, out, in});
    return read_blocks(found);
  }
  return read_matrix(path, found, {experts, out}, in, true, as_stored);
}

Matrix WeightStore::read_matrix(const std::string& path, const TensorEntry& weight,
                                const std::vector<int64_t>& dims, int in, bool may_quantize,
                                bool as_stored) {
  parameters_ += static_cast<uint64_t>(product(dims)) * static_cast<uint64_t>(in);
  if (weight.dtype == "U32") return read_quantized(path, weight, dims, in);
  main_.files().check_shape(weight, with(dims, in));
  if (may_quantize && quantizable(weight, in)) {
    return quantize(path, weight, dims, in, Orientation::kNormal);
  }
  return dense(as_stored ? read_stored(weight) : read_float(weight));
}

bool WeightStore::quantizable(const TensorEntry& weight, int in) const {
  return quantize_ && float_dtype_of(weight.dtype) && in % quantize_->group_size == 0;
}

Matrix WeightStore::dense(mx::array weight) const {
  return {std::move(weight), std::nullopt, std::nullopt, 0, 0, "affine", dtype_};
}

Matrix WeightStore::transposed_experts(const std::string& name, int experts, int out, int in,
                                       bool as_stored) {
  const TensorEntry& found = main_.entry(name);
  main_.files().check_shape(found, {experts, in, out});
  parameters_ += elements(found);
  if (quantizable(found, in)) {
    return quantize(name, found, {experts, out}, in, Orientation::kTransposed);
  }
  mx::array stored = as_stored ? read_stored(found) : read_float(found);
  mx::array transposed = mx::contiguous(mx::swapaxes(stored, 1, 2));
  transposed.eval();
  return dense(transposed);
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
  save(blocks.name, stored);
  save(scales.name, exponents);
  mx::array words = mx::reshape(mx::view(stored, mx::uint32), {experts, out, in / 8});
  words.eval();
  return {keep(words), keep(exponents), std::nullopt, 32, 4, "mxfp4", dtype_};
}

MlxTensor WeightStore::mlx_tensor(const std::string& path, const TensorEntry& weight,
                                  const std::vector<int64_t>& dims, int in) {
  if (weight.dtype != "U32") {
    main_.files().check_shape(weight, with(dims, in));
    return {&weight};
  }
  const TensorEntry& scales = main_.entry(path + ".scales");
  bool same_rank = weight.shape.size() == dims.size() + 1 && scales.shape.size() == dims.size() + 1;
  int64_t words = same_rank ? weight.shape.back() : 0, groups = same_rank ? scales.shape.back() : 0;
  bool byte_scales = scales.dtype == "U8";
  Quantization q = quantization_of(Config(spec_.config), path, main_.files().name_of(weight), in,
                                   words, groups, byte_scales);
  main_.files().check_shape(weight, with(dims, words));
  main_.files().check_shape(scales, with(dims, groups));
  if (byte_scales) return {&weight, &scales, nullptr, q};
  const TensorEntry& biases = main_.entry(path + ".biases");
  main_.files().check_shape(biases, with(dims, groups));
  return {&weight, &scales, &biases, q};
}

Matrix WeightStore::read_quantized(const std::string& path, const TensorEntry& weight,
                                   const std::vector<int64_t>& dims, int in) {
  MlxTensor tensor = mlx_tensor(path, weight, dims, in);
  const Quantization& q = tensor.quantization;
  mx::array codes = keep(main_.read(weight, mx::uint32));
  save(weight.name, codes);
  if (!tensor.biases) {
    mx::array bytes = keep(main_.read_byte_scales(*tensor.scales, q.mode));
    save(tensor.scales->name, bytes);
    return {codes, bytes, std::nullopt, q.group_size, q.bits, q.mode, dtype_};
  }
  mx::array floats = read_float(*tensor.scales);
  return {codes, floats, read_float(*tensor.biases), q.group_size, q.bits, q.mode, dtype_};
}

Matrix WeightStore::quantize(const std::string& path, const TensorEntry& entry,
                             const std::vector<int64_t>& dims, int in, Orientation orientation) {
  Matrix m = quantize_tensor(main_, entry, dims, in, *quantize_, orientation);
  bool affine = m.mode == "affine";
  save(path + ".weight", m.weight);
  // Saved in the type of the source, used in that of the activations.
  auto part = [&](const char* name, const mx::array& values) {
    mx::array stored = affine ? mx::astype(values, m.dtype) : values;
    stored.eval();
    save(path + name, stored);
    return affine ? keep_as_used(values) : keep(values);
  };
  m.weight = keep(m.weight);
  m.scales = part(".scales", *m.scales);
  if (affine) m.biases = part(".biases", *m.biases);
  m.dtype = dtype_;
  return m;
}

bool WeightStore::ignored(const std::string& name) const {
  // Rotary frequencies: older checkpoints store them, every implementation computes them.
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
                                  "\": does config.json belong to these weights?");
  }
  adapters_.check_used();
  if (writer_) writer_->finish();
}

}  // namespace llm_host
