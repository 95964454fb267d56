// ggml's blocks and floats, as matrices, experts and vectors of a GGUF file.
#include "fuzz/input.h"
#include "fuzz/mutate.h"
#include "weights/ggml/ggml.h"
#include "weights/weight_store.h"

using namespace llm_host;

namespace {

int size_at(const TensorEntry& entry, size_t index) {
  return index < entry.shape.size() ? static_cast<int>(entry.shape[index]) : 1;
}

std::string path_of(const std::string& name) {
  const std::string end = ".weight";
  return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

void read_one(WeightStore& store, const TensorEntry& entry) {
  const int first = size_at(entry, 0), second = size_at(entry, 1), third = size_at(entry, 2);
  const std::string path = path_of(entry.name);
  if (entry.shape.size() == 1) {
    store.vector(entry.name, first);
  } else if (entry.shape.size() == 2) {
    store.matrix(path, first, second);
    store.router(path, first, second);
  } else {
    store.experts(path, first, second, third, store.packed());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::TensorFile file(data, size);
  if (!file.valid()) return -1;
  LoadSpec spec;
  spec.config = Value(Value::Object{});
  spec.weights = file.weights();
  spec.gguf = true;
  fuzz::taken([&] {
    WeightStore store(spec, [](uint64_t, uint64_t) {});
    for (const TensorEntry& entry : spec.weights.tensors) {
      fuzz::taken([&] { read_one(store, entry); });
    }
    store.finish();
  });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed) {
  return fuzz::mutate_tensor_file(data, size, capacity, seed);
}
