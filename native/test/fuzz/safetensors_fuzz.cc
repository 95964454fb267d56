// Tensors of every type and shape, read as weights are.
#include "fuzz/input.h"
#include "fuzz/mutate.h"
#include "weights/files/tensor_reader.h"

using namespace llm_host;

namespace {

void read_all(const WeightFiles& weights) {
  LoadProgress progress{.report = [](uint64_t, uint64_t) {}};
  TensorReader reader(weights, progress);
  for (const TensorEntry& tensor : weights.tensors) {
    const TensorEntry& entry = reader.entry(tensor.name);
    fuzz::taken([&] { reader.read_float(entry); });
    fuzz::taken([&] { reader.read(entry, mx::uint32); });
    for (const char* mode : {"nvfp4", "mxfp4"}) {
      fuzz::taken([&] { reader.read_byte_scales(entry, mode); });
    }
    fuzz::taken([&] { reader.files().check_shape(entry, {4, 2}); });
  }
  if (!reader.unused().empty()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::TensorFile file(data, size);
  if (!file.valid()) return -1;
  fuzz::taken([&] { read_all(file.weights()); });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed) {
  return fuzz::mutate_tensor_file(data, size, capacity, seed);
}
