#include "weights/ggml_tensor.h"

#include "common/error.h"
#include "weights/files/dims.h"
#include "weights/ggml.h"

namespace llm_host {

Matrix read_ggml_tensor(TensorReader& reader, const TensorEntry& entry) {
  const GgmlType& type = *ggml_type(entry.dtype);
  int out = static_cast<int>(entry.shape[0]), in = static_cast<int>(entry.shape[1]);
  if (in % type.block != 0) {
    throw Error(kModelBroken, reader.files().name_of(entry) + " of type " + entry.dtype +
                                  " has rows of " + std::to_string(in) + ", not a multiple of " +
                                  std::to_string(type.block));
  }
  int64_t blocks = static_cast<int64_t>(elements(entry)) / type.block;
  size_t bytes = static_cast<size_t>(blocks) * type.block_bytes;
  reader.files().check_bytes(entry, bytes);
  std::vector<uint8_t> source(bytes);
  reader.read_bytes(entry, source.data(), source.size(), 0);

  mx::array words = allocate({out, in * type.bits / 32}, mx::uint32);
  mx::array scales = allocate({out, in / kGgmlGroup}, mx::float32);
  mx::array biases = allocate({out, in / kGgmlGroup}, mx::float32);
  repack_ggml(type, source.data(), blocks, words.data<uint32_t>(), scales.data<float>(),
              biases.data<float>());
  reader.check_finite(entry, mx::float32, scales.data<float>(), scales.size(), 0);
  reader.check_finite(entry, mx::float32, biases.data<float>(), biases.size(), 0);
  return {words, scales, biases, kGgmlGroup, type.bits, "affine", mx::float32};
}

}  // namespace llm_host
