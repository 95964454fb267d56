// Tensors spread over several files, some of which are not there. The last character of a name is
// the number of its file.
#include "fuzz/input.h"
#include "fuzz/mutate.h"
#include "weights/files/tensor_files.h"

using namespace llm_host;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::TensorFile file(data, size);
  if (!file.valid()) return -1;
  WeightFiles weights = file.weights();
  weights.files.push_back(weights.files.front());
  if (weights.tensors.size() > 6) weights.files.push_back("/nowhere");
  for (TensorEntry& entry : weights.tensors) {
    if (entry.name.empty()) continue;
    entry.file = static_cast<uint8_t>(entry.name.back() - '0');
    entry.name.pop_back();
  }
  fuzz::taken([&] {
    TensorFiles files(weights);
    for (const auto& item : files.entries()) {
      const TensorEntry& entry = *item.second;
      if (files.find(item.first) != &entry || files.name_of(entry).empty()) __builtin_trap();
      std::vector<uint8_t> bytes(64);
      fuzz::taken([&] { elements(entry); });
      fuzz::taken([&] { files.check_bytes(entry, elements(entry)); });
      fuzz::taken([&] { files.read(entry, bytes.data(), bytes.size(), 3, [](uint64_t) {}); });
    }
  });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed) {
  return fuzz::mutate_tensor_file(data, size, capacity, seed);
}
